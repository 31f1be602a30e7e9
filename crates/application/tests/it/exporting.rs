//! Everything taken out of a site, whole and in parts.

use fencepost_application::{ExportFormat, ExportPart, RawImport, export_header};
use fencepost_domain::export::Export;
use fencepost_ports::{Budget, Job};

use crate::world::{Worker, World, due, editor, row};

const FORMATS: [ExportFormat; 2] = [ExportFormat::JsonLines, ExportFormat::Csv];

async fn stocked(puzzles: i64) -> (World, Worker) {
    let world = World::new().await;
    let worker = world.worker("export").await;
    world.import((1..=puzzles).map(row)).await;
    (world, worker)
}

#[tokio::test]
async fn an_export_is_the_same_however_it_is_cut() {
    let (_world, worker) = stocked(450).await;
    for format in FORMATS {
        let whole = worker.site.export(Export::Bank, format, 0, usize::MAX).await.unwrap();
        assert_eq!((whole.rows, whole.next), (450, None));

        let (mut text, mut after, mut parts) = (export_header(Export::Bank, format), Some(0), Vec::new());
        while let Some(key) = after {
            let page = worker.site.export_page(Export::Bank, format, key).await.unwrap();
            text.push_str(&page.text);
            parts.push(page.rows);
            after = page.next;
        }
        assert_eq!((text, parts), (whole.text, vec![200, 200, 50]));
    }
}

#[tokio::test]
async fn an_answer_ends_with_its_room_and_tells_where_to_go_on() {
    let (_world, worker) = stocked(450).await;
    let export = async |after| {
        let part = worker.site.export(Export::Ledger, ExportFormat::Csv, after, 0).await;
        let ExportPart { text, rows, next } = part.unwrap();
        assert!(text.starts_with("puzzle_id,play_date,state,"), "each part is a table: {text}");
        (rows, next)
    };
    assert_eq!(export(0).await, (200, Some(200)));
    assert_eq!(export(200).await, (200, Some(400)));
    assert_eq!(export(400).await, (50, None));
    assert_eq!(export(450).await, (0, None));
}

#[tokio::test]
async fn an_answer_ends_with_its_budget_and_tells_where_to_go_on() {
    let (world, worker) = stocked(450).await;
    drop(worker);
    let frugal = world.invocation("frugal", Budget::of(2)).await;
    let part = frugal.site.export(Export::Bank, ExportFormat::JsonLines, 0, usize::MAX).await.unwrap();
    assert_eq!((part.rows, part.next), (400, Some(400)));
    let refused = frugal.site.export(Export::Bank, ExportFormat::JsonLines, 400, usize::MAX).await;
    assert!(refused.is_err(), "nothing is not all there is: {refused:?}");
}

#[tokio::test]
async fn the_fields_of_a_line_are_the_columns_of_a_table() {
    let (world, worker) = stocked(1).await;
    world.clock.set(due(1));
    worker.run(Job::Publish).await;
    for export in Export::ALL {
        let lines = worker.site.export(export, ExportFormat::JsonLines, 0, usize::MAX).await.unwrap().text;
        let object: serde_json::Value = serde_json::from_str(lines.lines().next().unwrap()).unwrap();
        let header = export_header(export, ExportFormat::Csv);
        let mut columns: Vec<_> = header.trim_end().split(',').collect();
        columns.sort_unstable();
        let fields: Vec<_> = object.as_object().unwrap().keys().collect();
        assert_eq!(fields, columns, "{export}");
    }
}

#[tokio::test]
async fn an_exported_bank_makes_the_same_bank_and_changes_nothing_where_it_came_from() {
    let world = World::new().await;
    let worker = world.worker("export").await;
    let mut hostile = row(1);
    hostile.name = "=cmd|' /C calc'!A1, \"quoted\"".to_owned();
    hostile.description = "a line\n\n- another, with \u{2028} in it\r\n\ttab".to_owned();
    world.import([hostile, row(3), row(2)]).await;
    let exported = worker.site.export(Export::Bank, ExportFormat::JsonLines, 0, usize::MAX).await.unwrap();

    let elsewhere = World::new().await;
    let other = elsewhere.worker("import").await;
    let import = async |worker: &Worker| {
        let rows = RawImport::parse(&exported.text).unwrap().read(|| ()).unwrap();
        let done = worker.site.import_rows(&editor(), rows).await.unwrap();
        (done.inserted, done.updated, done.unchanged)
    };
    assert_eq!(import(&other).await, (3, 0, 0));
    assert_eq!(import(&worker).await, (0, 0, 3));
    let again = other.site.export(Export::Bank, ExportFormat::JsonLines, 0, usize::MAX).await.unwrap();
    assert_eq!(again, exported);
}
