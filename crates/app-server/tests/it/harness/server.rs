//! Processes that run, and what they leave behind.

use std::sync::{Arc, Mutex};

use reqwest::{Method, Response, StatusCode};
use serde_json::Value;
use tokio::{
    io::{AsyncRead, AsyncReadExt},
    process::{Child, Command},
    task::JoinHandle,
};

#[cfg(target_os = "linux")]
use super::until;
use super::{TOKEN, client, in_time, lines};

/// A server that is starting.
pub(crate) struct Launched {
    child: Child,
}

impl Launched {
    /// Starts `command`, which has to be a server's.
    pub(crate) fn of(mut command: Command) -> Self {
        Self { child: command.spawn().unwrap() }
    }

    /// Waits until it answers.
    pub(crate) async fn ready(self) -> Server {
        let Self { mut child } = self;
        let log = Log::default();
        let listener = tokio::spawn(log.clone().collect(child.stderr.take().unwrap()));
        let mut lines = lines(child.stdout.take().unwrap());
        let first = in_time("a server's address", lines.next_line()).await.unwrap();
        let Some(url) = first.as_deref().and_then(|line| line.strip_prefix("listening on ")) else {
            let code = child.wait().await.unwrap().code();
            listener.await.unwrap();
            panic!("no server: it printed {first:?}, ended with {code:?} and said: {}", log.text());
        };
        Server { url: url.to_owned(), child, log, listener }
    }
}

/// A running server.
pub(crate) struct Server {
    url: String,
    child: Child,
    log: Log,
    listener: JoinHandle<()>,
}

impl Server {
    /// Scheme, host and port.
    pub(crate) fn url(&self) -> &str {
        &self.url
    }

    /// What it has logged so far.
    pub(crate) fn log(&self) -> String {
        self.log.text()
    }

    /// Its process, as `kill` wants it.
    pub(crate) fn pid(&self) -> String {
        self.child.id().expect("the process has not been waited for").to_string()
    }

    /// Asks for a page.
    pub(crate) async fn get(&self, path: &str) -> Response {
        client().get(format!("{}{path}", self.url)).send().await.unwrap()
    }

    /// Asks the admin API, and returns its answer as it is.
    pub(crate) async fn admin(&self, method: Method, path: &str, body: Option<&Value>) -> Response {
        let request = client().request(method, format!("{}/admin/api{path}", self.url)).bearer_auth(TOKEN);
        match body {
            Some(body) => request.json(body),
            None => request,
        }
        .send()
        .await
        .unwrap()
    }

    /// Reads something off the admin API.
    pub(crate) async fn read(&self, path: &str) -> Value {
        Self::understood(self.admin(Method::GET, path, None).await).await
    }

    /// Has the admin API do something that has to succeed.
    pub(crate) async fn post(&self, path: &str, body: &Value) -> Value {
        Self::understood(self.admin(Method::POST, path, Some(body)).await).await
    }

    async fn understood(response: Response) -> Value {
        let status = response.status();
        let text = response.text().await.unwrap();
        assert_eq!(status, StatusCode::OK, "the admin API refused: {text}");
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"))
    }

    /// Sends a signal, such as `TERM`, `KILL`, `STOP` or `CONT`.
    pub(crate) async fn signal(&self, name: &str) {
        self.signals(&[name]).await;
    }

    /// Sends signals, one on the heels of the other.
    pub(crate) async fn signals(&self, names: &[&str]) {
        let script: Vec<_> = names.iter().map(|name| format!("kill -s {name} {}", self.pid())).collect();
        let sent = Command::new("sh").args(["-c", &script.join(" && ")]).status().await.unwrap();
        assert!(sent.success(), "cannot send {names:?} to {}", self.pid());
    }

    /// Stops servers where they stand, each of their threads. None writes before `CONT`.
    #[cfg(target_os = "linux")]
    pub(crate) async fn freeze(servers: &[Self]) {
        futures_util::future::join_all(servers.iter().map(|server| server.signal("STOP"))).await;
        for server in servers {
            until("all threads to stand still", async || server.stands_still()).await;
        }
    }

    #[cfg(target_os = "linux")]
    fn stands_still(&self) -> bool {
        let threads = std::fs::read_dir(format!("/proc/{}/task", self.pid())).unwrap();
        threads.map(|thread| std::fs::read_to_string(thread.unwrap().path().join("stat"))).all(|stat| {
            // The state follows the name, which is in brackets and may hold some. A thread
            // that has just ended cannot be read, and others may have to be told still.
            stat.is_ok_and(|stat| stat.rsplit_once(") ").is_some_and(|(_, rest)| rest.starts_with('T')))
        })
    }

    /// Waits for its end.
    pub(crate) async fn end(mut self) -> Ended {
        let status = in_time("the end of a server", self.child.wait()).await.unwrap();
        self.listener.await.unwrap();
        Ended { code: status.code(), stdout: String::new(), stderr: self.log.text() }
    }

    /// Asks it to stop, and waits until it has.
    pub(crate) async fn stop(self) -> Ended {
        self.signal("TERM").await;
        self.end().await
    }

    /// Kills it where it stands. What it has written stays written.
    pub(crate) async fn kill(self) {
        self.signal("KILL").await;
        self.end().await;
    }
}

/// What a process left behind that has ended.
#[derive(Debug)]
pub(crate) struct Ended {
    /// The exit code; `None` when a signal ended it.
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Ended {
    /// Waits for the end of a command.
    pub(crate) async fn of(mut child: Child) -> Self {
        let (mut stdout, mut stderr) = (String::new(), String::new());
        let (mut out, mut err) = (child.stdout.take().unwrap(), child.stderr.take().unwrap());
        let (read_out, read_err) =
            tokio::join!(out.read_to_string(&mut stdout), err.read_to_string(&mut stderr));
        read_out.unwrap();
        read_err.unwrap();
        Self { code: child.wait().await.unwrap().code(), stdout, stderr }
    }

    /// Ended as it should, without having complained of anything.
    pub(crate) fn assert_quiet(&self) {
        assert_eq!(self.code, Some(0), "{}", self.stderr);
        for complaint in ["WARN", "ERROR", "panicked"] {
            assert!(!self.stderr.contains(complaint), "{}", self.stderr);
        }
    }

    /// Standard output as JSON.
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }
}

/// What a process says, while it says it.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<String>>);

impl Log {
    async fn collect(self, from: impl AsyncRead + Unpin) {
        let mut lines = lines(from);
        while let Ok(Some(line)) = lines.next_line().await {
            let mut text = self.0.lock().unwrap();
            text.push_str(&line);
            text.push('\n');
        }
    }

    fn text(&self) -> String {
        self.0.lock().unwrap().clone()
    }
}
