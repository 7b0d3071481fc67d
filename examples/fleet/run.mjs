// Plans and applies the accounts of fleet.yaml, and kills a worker in the middle. All of it runs on this machine: the embedded hosting service,
// and the PostgreSQL that npm installs beside Hostform. Nothing stays behind.
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const cli = fileURLToPath(new URL("../../dist/cli.js", import.meta.url));
const fleetFile = fileURLToPath(new URL("fleet.yaml", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "hostform-fleet-"));
const { PATH, HOME, TMPDIR } = process.env;
const env = { PATH, HOME, ...(TMPDIR && { TMPDIR }), COLUMNS: "100" };
const running = new Set();

/** Prints what happens here, apart from what Hostform prints. */
const say = (text) => console.log(`\n# ${text}`);

/** Starts Hostform in the folder of this run. `onLine` gets each line that it prints. */
function start(args, { onLine = () => {}, isShown = true } = {}) {
  const child = spawn(process.execPath, [cli, ...args], { cwd: folder, env, stdio: ["ignore", "pipe", "inherit"] });
  running.add(child);
  let rest = "";
  child.stdout.setEncoding("utf8").on("data", (text) => {
    if (isShown) process.stdout.write(text);
    const lines = (rest + text).split("\n");
    rest = lines.pop();
    lines.forEach(onLine);
  });
  const ended = new Promise((resolve) => child.on("close", (code) => resolve(code))).finally(() =>
    running.delete(child),
  );
  return { child, ended };
}

/** Runs a command of the fleet to its end, and returns its exit code and its output. */
async function fleet(args, onLine = () => {}) {
  console.log(`$ hostform fleet ${args.join(" ")}`);
  const lines = [];
  const { ended } = start(["fleet", ...args, "-f", fleetFile], {
    onLine: (line) => onLine(line, lines.push(line)),
  });
  return { code: await ended, text: lines.join("\n") };
}

const worker = () => start(["fleet", "worker", "--concurrency", "4", "-f", fleetFile]);

function expect(isTrue, what) {
  if (!isTrue) throw new Error(`${what} was expected`);
}

/** Starts the embedded hosting service, and puts the way to it into the environment of all that follows. */
async function startService() {
  await new Promise((resolve, reject) => {
    // Each request takes a moment, as with a real service.
    const service = ["emulator", "--data", join(folder, "service.db"), "--latency", "20", "--json"];
    const onLine = (line) => {
      const { type, base_url, ca_file, key_file } = JSON.parse(line);
      if (type !== "ready") return;
      Object.assign(env, { HOSTFORM_BASE_URL: base_url, HOSTFORM_CA_FILE: ca_file });
      for (const owner of ["PLATFORM", "NORTH", "SOUTH"])
        env[`SHOPS_KEY_${owner}`] = readFileSync(key_file, "utf8").trim();
      resolve();
    };
    void start(service, { onLine, isShown: false }).ended.then(() => reject(new Error("the embedded service ended")));
  });
}

async function run() {
  say(`The embedded hosting service starts. Its data and those of PostgreSQL lie in ${folder}`);
  await startService();

  say("Two workers start: two processes, as on two machines. The first one starts PostgreSQL and makes its tables.");
  const victim = worker();
  worker();

  say("All accounts are planned: nothing is changed. Equal plans stand together, those unlike the rest first.");
  const planned = await fleet(["plan"]);
  expect(planned.code === 2, "a plan with changes (exit 2)");
  const hash = /sha256:[0-9a-f]+/.exec(planned.text)?.[0];

  say("The plans are approved by their hash, and applied in three waves. In the last one a worker is killed.");
  let killedAt;
  const kill = () => {
    killedAt = victim.child.kill("SIGKILL") ? Date.now() : undefined;
    say(
      `Worker ${victim.child.pid} is killed. The other one goes on, and takes over what the dead one had begun once the`,
    );
    console.log("# leases of these accounts have run out: 40 seconds after they were renewed for the last time.");
  };
  // A moment later both workers have accounts of the wave in hand.
  const onLine = (line) => line.startsWith("Wave 3 of 3") && setTimeout(kill, 1000);
  const applied = await fleet(["apply", "--approve", hash, "--wave", "1,10%,rest", "--stop-at", "5%"], onLine);
  expect(killedAt !== undefined, "a worker that is killed in a third wave");
  expect(applied.code === 0, "an apply that ends well (exit 0)");

  say(
    `It has ended, ${Math.round((Date.now() - killedAt) / 1000)} seconds after the kill. All accounts are planned again.`,
  );
  const again = await fleet(["plan"]);
  expect(again.code === 0, "a plan without changes (exit 0)");
  expect((await fleet(["status"])).code === 0, "a status (exit 0)");
  say("No changes: what the killed worker had begun, the other one has completed.");
}

/** Ends what was started here, and nothing else. */
async function cleanUp() {
  const children = [...running];
  for (const child of children) child.kill("SIGTERM");
  await Promise.all(children.map((child) => new Promise((resolve) => child.on("close", resolve))));
  // The last process that uses PostgreSQL ends it; one that was killed may have been the last.
  const pidFile = join(folder, ".hostform/postgres/data/postmaster.pid");
  if (existsSync(pidFile)) process.kill(Number(readFileSync(pidFile, "utf8").split("\n")[0]), "SIGQUIT");
  rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
}

try {
  await run();
} catch (error) {
  console.error(`\n# The example failed: ${error.message}`);
  process.exitCode = 1;
} finally {
  await cleanUp();
}
