//! nginx with the same page: once as a file on disk, once as a cache in front of a server.

use std::{
    env, fs,
    net::{Ipv4Addr, SocketAddr, TcpListener},
    path::Path,
    process::{Command, Stdio},
};

use anyhow::ensure;

use super::{
    limit::told,
    site::{Demand, Page, fetch},
};
use crate::process::{Server, now};

/// What serves the page.
pub(super) struct Nginx {
    /// From its cache, in front of a server that gives the page.
    pub(super) cache: Server,
    /// From disk.
    pub(super) disk: Server,
}

/// Starts it, where it is installed.
pub(super) fn start(page: &Page, behind: &Server, folder: &Path) -> anyhow::Result<Option<Nginx>> {
    let path = env::var_os("PATH").unwrap_or_default();
    let folders = env::split_paths(&path).chain(["/usr/sbin".into()]);
    let Some(program) = folders.map(|folder| folder.join("nginx")).find(|program| program.is_file()) else {
        return Ok(None);
    };
    let root = folder.join("nginx");
    fs::create_dir_all(root.join("page"))?;
    fs::write(root.join("page/file"), &page.body)?;
    let served_type = page.headers.get("content-type").and_then(|it| it.to_str().ok()).unwrap_or_default();
    let headers: String = told(page)
        .iter()
        .filter(|(name, _)| !["content-type", "etag"].contains(name))
        .map(|(name, value)| format!("add_header {name} \"{}\";\n", value.replace('"', "\\\"")))
        .collect();
    let disk = format!(
        "root {root}/page;\ntypes {{ }}\ndefault_type '{served_type}';\nopen_file_cache max=10;\n\
         open_file_cache_valid 60s;\n{headers}location / {{ try_files /file =404; }}",
        root = root.display()
    );
    let cache = format!(
        "location / {{\nproxy_pass {behind};\nproxy_cache pages;\nproxy_cache_valid 200 1h;\n\
         proxy_ignore_headers Cache-Control Expires Vary;\nproxy_http_version 1.1;\n}}",
        behind = behind.url("")
    );
    let start = |name: &str, server: &str| -> anyhow::Result<Server> {
        let address = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?;
        let file = root.join(name);
        fs::write(&file, configuration(&root, name, address, server))?;
        let mut command = Command::new(&program);
        command.arg("-c").arg(&file).arg("-p").arg(&root).stderr(Stdio::null());
        let server = Server::at(command.spawn()?, address);
        let started = now();
        while fetch(&server, &Demand::get("/page")).is_err() {
            ensure!(started.elapsed().as_secs() < 10, "nginx does not answer; look at {}", file.display());
        }
        Ok(server)
    };
    Ok(Some(Nginx { cache: start("cache", &cache)?, disk: start("disk", &disk)? }))
}

/// As many workers as the machine has cores, and nothing written to a log.
fn configuration(root: &Path, name: &str, address: SocketAddr, server: &str) -> String {
    let root = root.display();
    format!(
        "daemon off;\nworker_processes auto;\npid {root}/{name}.pid;\nerror_log /dev/null;\n\
         events {{ worker_connections 1024; }}\nhttp {{\naccess_log off;\nsendfile on;\ntcp_nopush on;\n\
         keepalive_requests 1000000000;\nclient_body_temp_path {root}/{name}-body;\n\
         proxy_temp_path {root}/{name}-proxy;\nfastcgi_temp_path {root}/{name}-fastcgi;\n\
         uwsgi_temp_path {root}/{name}-uwsgi;\nscgi_temp_path {root}/{name}-scgi;\n\
         proxy_cache_path {root}/{name}-pages keys_zone=pages:1m;\n\
         server {{\nlisten {address};\n{server}\n}}\n}}\n"
    )
}
