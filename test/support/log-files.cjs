// Loaded before a program of Node: writes the real path of each file or folder that it opens or changes to the file that FILES_LOG names,
// after `read` or `write`.
const fs = require("node:fs");
const paths = require("node:path");

const { openSync, writeSync, realpathSync, existsSync } = fs;
const log = openSync(process.env.FILES_LOG, "a");
const note = (use, path) => {
  const isPath = typeof path === "string" || path instanceof URL || Buffer.isBuffer(path);
  if (!isPath) return;
  const name = path instanceof URL ? path.pathname : String(path);
  // What is not there is not opened, but it may be made.
  if (existsSync(name)) writeSync(log, `${use} ${realpathSync(name)}\n`);
  else if (use === "write" && existsSync(paths.dirname(name)))
    writeSync(log, `${use} ${paths.join(realpathSync(paths.dirname(name)), paths.basename(name))}\n`);
};
const wrap = (owner, name, noteArguments) => {
  const { [name]: original } = owner;
  if (original === undefined) return;
  owner[name] = function (...given) {
    noteArguments(given);
    return original.apply(this, given);
  };
};
const isForReading = (flags) => (typeof flags === "number" ? (flags & 3) === 0 : /^rs?$/u.test(flags ?? "r"));
const uses = {
  open: ([path, flags]) => note(isForReading(typeof flags === "function" ? "r" : flags) ? "read" : "write", path),
  ...Object.fromEntries(
    ["readFile", "readdir", "opendir", "createReadStream"].map((name) => [name, ([path]) => note("read", path)]),
  ),
  ...Object.fromEntries(
    ["writeFile", "appendFile", "createWriteStream", "mkdir", "mkdtemp", "rm", "rmdir", "unlink", "truncate", "chmod"]
      .concat("chown", "utimes")
      .map((name) => [name, ([path]) => note("write", path)]),
  ),
  ...Object.fromEntries(
    ["rename", "link", "symlink", "copyFile", "cp"].map((name) => [
      name,
      ([from, to]) => {
        note(/rename/u.test(name) ? "write" : "read", from);
        note("write", to);
      },
    ]),
  ),
};
for (const [name, noteArguments] of Object.entries(uses))
  for (const [owner, each] of [
    [fs, name],
    [fs, `${name}Sync`],
    [fs.promises, name],
  ])
    wrap(owner, each, noteArguments);
