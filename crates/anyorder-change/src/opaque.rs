//! State that nobody can look into, told by the code that a test ran.

use anyorder_model::Profile;

/// What only starts a process, or leaves something in another one; by the names that profiles give to it.
const PROCESSES: [&str; 8] = [
    "subprocess._execute_child()",
    "multiprocessing.process.start()",
    "concurrent.futures.process.__init__()",
    "asyncio.base_events.subprocess_exec()",
    "os.fork",
    "os.posix_spawn",
    "os.system",
    "os.popen()",
];
const SOCKETS: [&str; 7] = [
    "asyncio.base_events.create_connection()",
    "asyncio.base_events.create_server()",
    "http.client.connect()",
    "socket.accept()",
    "socket.create_connection()",
    "socket.create_server()",
    "socketserver.__init__()",
];
const DATABASES: [&str; 10] = [
    "MySQLdb.Connect()",
    "asyncpg.connection.connect()",
    "psycopg.connection.connect()",
    "psycopg2.connect()",
    "pymongo.mongo_client.__init__()",
    "pymysql.connections.__init__()",
    "redis.client.__init__()",
    "sqlalchemy.engine.base.__init__()",
    "sqlite3.connect",
    "sqlite3.dbapi2.connect",
];

/// What a test has to do with that cannot be looked into; `touches_extension` if it ran code that imports compiled code of the
/// project.
pub(crate) fn opaque(profile: &Profile, touches_extension: bool) -> Option<&'static str> {
    let has = |names: &[&str]| names.iter().any(|name| profile.reads.contains(*name));
    let kinds = [("subprocess", &PROCESSES[..]), ("socket", &SOCKETS[..]), ("database", &DATABASES[..])];
    let found = kinds.into_iter().find(|(_, names)| has(names)).map(|(kind, _)| kind);
    found.or(touches_extension.then_some("C extension"))
}

/// Whether a test ran code in other processes, where nobody saw it.
pub(crate) fn starts_processes(profile: &Profile) -> bool {
    opaque(profile, false) == Some("subprocess")
}
