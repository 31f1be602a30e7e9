//! The router on the reference model: addresses, headers, words and problems.

#![expect(clippy::unwrap_used, reason = "a panic is how a test fails")]

mod world;

mod failing;

mod headers;

mod header_table;

mod embargo;

mod conditional;

mod description;

mod overdue;

mod pages;

mod announcements;

mod images;

mod previews;

mod game;

mod game_page;

mod game_faults;

mod chart;

mod player;

mod tokens;

mod blind;

mod actions;

mod dashboard;

mod editor;

mod looking;

mod outbox;

mod exports;

mod faults;

mod admin_auth;

mod admin_api;

mod admin_problems;

mod hanging_up;

mod metrics;

mod doctor;
