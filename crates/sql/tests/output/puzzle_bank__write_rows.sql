INSERT INTO puzzles (puzzle_id, play_date, opens_at, playable_until, name, price_cents, description, image_url,
  bank_version, edit_token)
SELECT r.value ->> 'puzzle_id', r.value ->> 'play_date', r.value ->> 'opens_at', r.value ->> 'playable_until',
  r.value ->> 'name', r.value ->> 'price_cents', r.value ->> 'description', r.value ->> 'image_url', 1, ?1
FROM json_each(?2) AS r
WHERE EXISTS (SELECT 1 FROM bank_edits AS e WHERE e.edit_token = ?1)
ON CONFLICT (puzzle_id) DO UPDATE
SET play_date = excluded.play_date,
    opens_at = CASE WHEN puzzles.play_date = excluded.play_date THEN puzzles.opens_at ELSE excluded.opens_at END,
    playable_until = CASE WHEN puzzles.play_date = excluded.play_date THEN puzzles.playable_until
      ELSE excluded.playable_until END,
    name = excluded.name,
    price_cents = excluded.price_cents,
    description = excluded.description,
    image_url = excluded.image_url,
    bank_version = puzzles.bank_version + 1,
    edit_token = excluded.edit_token
WHERE puzzles.play_date <> excluded.play_date
   OR puzzles.name <> excluded.name
   OR puzzles.price_cents <> excluded.price_cents
   OR puzzles.description <> excluded.description
   OR puzzles.image_url IS NOT excluded.image_url
