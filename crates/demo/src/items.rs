//! Fourteen everyday things: names, prices, words and pictures.
//!
//! The pictures, in the folder `photos`, are drawn for this bank; their sources are the SVG
//! files beside them.

use fencepost_domain::time::UtcDay;

/// A thing whose price is to be guessed.
#[derive(Debug)]
pub(crate) struct Item {
    pub(crate) file: &'static str,
    image: &'static [u8],
    pub(crate) name: &'static str,
    pub(crate) price_cents: i64,
    pub(crate) description: &'static str,
}

/// The thing of a day; the list starts over after its last one.
pub(crate) fn of_day(day: UtcDay) -> &'static Item {
    let count = i64::try_from(ITEMS.len()).expect("the list is short");
    let at = usize::try_from(day.get().rem_euclid(count)).expect("a remainder is not negative");
    &ITEMS[at]
}

/// The bytes of a photo, in WebP, by the name of its file.
pub fn photo(file: &str) -> Option<&'static [u8]> {
    ITEMS.iter().find(|item| item.file == file).map(|item| item.image)
}

macro_rules! picture {
    ($name:literal) => {
        (concat!($name, ".webp"), include_bytes!(concat!("../photos/", $name, ".webp")))
    };
}

const fn item(
    (file, image): (&'static str, &'static [u8]),
    name: &'static str,
    price_cents: i64,
    description: &'static str,
) -> Item {
    Item { file, image, name, price_cents, description }
}

/// Every thing, in the order of their days.
static ITEMS: [Item; 14] = [
    item(
        picture!("teapot"),
        "Enamel teapot",
        2450,
        "Holds **1.2 litres**, which is four cups, or two if you mean it.\n\nEnamel on steel: it does not mind being forgotten on the stove, and neither will you mind the blue rim. The spout pours without dripping, a skill that took teapots about three hundred years.",
    ),
    item(
        picture!("alarm-clock"),
        "Twin-bell alarm clock",
        1995,
        "Two bells, one hammer, *no snooze button*.\n\nWound by hand every evening, so it works through power cuts, flat batteries and good excuses. The hands glow in the dark for about an hour, which is when they are needed least.",
    ),
    item(
        picture!("rubber-duck"),
        "Rubber duck",
        450,
        "Floats upright, squeaks on request and listens to any explanation without interrupting.\n\nNatural rubber, painted by machine, **11 cm** from beak to tail. Popular in bathtubs and in offices where people look for mistakes in their own work.",
    ),
    item(
        picture!("desk-lamp"),
        "Desk lamp with a long arm",
        3990,
        "A steel arm with three joints reaches **80 cm** across the desk and stays where it is put.\n\nThe shade swivels, the foot is heavy enough to be trusted, and the switch makes the kind of click that ends a working day properly.",
    ),
    item(
        picture!("mug"),
        "Stoneware mug",
        1200,
        "Thrown thick, glazed by dipping, so that no two drips are alike.\n\nHolds **350 ml** and keeps them warm for one meeting. The handle fits three fingers; the fourth has always been for balance.",
    ),
    item(
        picture!("suitcase"),
        "Cabin suitcase",
        8900,
        "Fits the overhead locker of most airlines and the patience of some.\n\nHard shell with grooves, four wheels that roll the same way, a lock with three digits. **38 litres**, or four days if you fold, or two if you do not.",
    ),
    item(
        picture!("cactus"),
        "Small cactus in a clay pot",
        899,
        "Wants sun, very little water and no conversation.\n\nAbout **25 cm** tall with its pot. It flowers once a year, in pink, for roughly a week, and always while you are away.",
    ),
    item(
        picture!("radio"),
        "Portable radio",
        5995,
        "FM and medium wave, one honest loudspeaker, two knobs. *Loud* is on the left, *somewhere else* is on the right.\n\nRuns for **40 hours** on four batteries. The wooden base is real wood, and the leather strap has met a cow.",
    ),
    item(
        picture!("umbrella"),
        "Walking umbrella",
        2799,
        "Eight ribs of fibreglass that bend in the wind instead of turning inside out in front of everybody.\n\n**105 cm** across, a handle of varnished beech, and a tip long enough to point at things. Leave it on a train and somebody will be very pleased.",
    ),
    item(
        picture!("coffee-pot"),
        "Stovetop coffee pot",
        3250,
        "Water below, coffee in the middle, patience on top. Ready in **five minutes**, announced by a gurgle.\n\nCast aluminium with eight sides, for six small cups. Rinse it, never scrub it: the people who know will notice.",
    ),
    item(
        picture!("headphones"),
        "Wireless headphones",
        7900,
        "They close around the ears and open a reasonable distance to the world.\n\n**30 hours** per charge, cushions that can be replaced, and a cable in the box for the day on which you forgot to charge them.",
    ),
    item(
        picture!("watering-can"),
        "Zinc watering can",
        2150,
        "Ten litres, hot-dip galvanised, with a brass rose that makes rain of the gentle kind.\n\nThe upper handle is for carrying, the back one for pouring. Full, it weighs **11.5 kg**, and so gardening counts as exercise.",
    ),
    item(
        picture!("toaster"),
        "Two-slice toaster",
        4495,
        "Two wide slots, seven degrees of brown, of which everybody uses one.\n\nBrushed steel, a crumb tray that comes out at the back, and a lever that goes down with a clunk and up with a surprise. **900 watts**.",
    ),
    item(
        picture!("lantern"),
        "Camping lantern",
        3499,
        "Burns lamp oil for **20 hours** and flatters whoever sits around it.\n\nThe glass comes out for cleaning, the wick goes up and down with the brass wheel, and the wire handle squeaks once, in the dark, just outside the tent.",
    ),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_thing_has_a_picture_of_its_own() {
        for (at, item) in ITEMS.iter().enumerate() {
            assert!(item.image.len() < 60_000, "{} is too large", item.file);
            assert_eq!(&item.image[8..12], b"WEBP", "{}", item.file);
            assert!(ITEMS[..at].iter().all(|other| other.file != item.file), "{} is there twice", item.file);
        }
    }

    #[test]
    fn two_weeks_bring_every_thing_once() {
        let mut files: Vec<_> = (20_000..20_014).map(|day| of_day(UtcDay::new(day)).file).collect();
        files.sort_unstable();
        files.dedup();
        assert_eq!(files.len(), 14);
        assert_eq!(of_day(UtcDay::new(20_014)).file, of_day(UtcDay::new(20_000)).file);
    }
}
