/** `npm run test:soak` proves at full size what `npm test` proves at a size that leaves the other tests their time. */
const soak = process.env["HOSTFORM_SOAK"] === "1";

/** Services that refuse a second object of one name, and services that do not (`lax`). */
const bothModes = [false, true] as const;

/** How much is proved. */
export const size = {
  /** Scenarios whose runs are killed, and kill points of all of them together. */
  killedScenarios: soak ? Infinity : 1,
  killPoints: soak ? Infinity : 3,
  /** Of these points of a scenario, after how many the binary is started again; after the others an apply runs in the test's process. */
  binaryRestarts: soak ? Infinity : 1,
  /** Of the pairs of a scenario and an API of another shape, every how many is run. */
  everyShapedScenario: soak ? 1 : 160,
  /** Whether each of these pairs is also rehearsed, and planned from a snapshot. */
  rehearsesShapes: soak,
  /** Draws of a manifest, a live state and faults. */
  fuzzRuns: soak ? Number(process.env["HOSTFORM_SOAK_RUNS"] ?? 1000) : 3,
  /** Values that are drawn around the limit of a field, beside those at its edges. */
  limitRuns: soak ? 60 : 1,
  /** Whether the largest collection of real zones is read, applied and planned again: 4,716 records. */
  largestZones: soak,
  /** Whether the board of 5,000 accounts is opened in a browser. */
  largestBoard: soak,
  /** The writes of an apply at which it is cut off, before an older commit is applied. */
  cutWrites: soak ? [1, 3] : [3],
  /** Ways in which an API takes whole sets of records. */
  flavours: soak ? Infinity : 1,
  /** Of the changes of a file before which a process is killed, every how many. */
  killStep: soak ? 1 : 8,
  /** The modes of the service in which a trial runs: both, or the drawn one. */
  modes: (drawn: boolean): readonly boolean[] => (soak ? bothModes : [drawn]),
  /** Whether the jobs of a forge also look for drift at night, run for a fork, and let a customer leave. */
  nightsOfForges: soak,
  /** Draws of a saved plan and an alteration of it. */
  alterations: soak ? 20_000 : 12,
  /** Swaps of the two runners that share a lease: every order of all events around them is tried. */
  leaseSwaps: [2, soak ? 2 : 1],
  /** Rounds in which six runners begin at once over one remote; every second remote holds a ref for 0.2 s while it moves. */
  lockRaces: soak ? 60 : 1,
  /** Contents of a lock before or after another run moves its ref. */
  lockContents: soak ? Infinity : 1,
  /** Draws of the write at which an apply loses its lease, for each way to lose it. */
  leaseLosses: soak ? 10 : 1,
  /** Draws of a command line. */
  argumentRuns: soak ? 20_000 : 4,
  /** Draws of a command line and its environment that run the built binary. */
  binaryRuns: soak ? 400 : 2,
  /** The cases of a table that are alike: all, or every nth of them. */
  every: <const Case>(nth: number, cases: readonly Case[]): readonly Case[] =>
    soak ? cases : cases.filter((_, index) => index % nth === 0),
  /** Draws of calls to the server of tools, and of a manifest in its folder. */
  mcpRuns: soak ? 3000 : 6,
  /** Draws of a signal and its moment, for each command. */
  signalRuns: soak ? 60 : 1,
  /** Of the sets of three live records, every how many is planned for. */
  everyLiveSet: soak ? 1 : 160,
  /** Of the places of a file, every how many is tried. */
  everyPlace: soak ? 1 : 12,
  /** Of the draws of a property that is proved beside other tests: a thirty-second, and ten times as many in the soak. */
  draws: (usual: number): number => (soak ? 10 * usual : Math.ceil(usual / 32)),
  /** Draws of a place, what stands in it, and faults while it is exchanged. */
  exchangeRuns: soak ? Number(process.env["HOSTFORM_SOAK_RUNS"] ?? 1000) : 3,
  /** Draws of an exchange that is killed, and kill points of each. */
  killedExchanges: soak ? Math.ceil(Number(process.env["HOSTFORM_SOAK_RUNS"] ?? 1000) / 200) : 1,
  killedRefusals: soak ? [422, 422, 503, undefined] : [422],
  killedExchangePoints: soak ? Infinity : 2,
  /** Draws of an exchange of which some writes are refused, and the moments of each apply at which it is killed. */
  refusedExchanges: soak ? Math.ceil(Number(process.env["HOSTFORM_SOAK_RUNS"] ?? 1000) / 20) : 1,
  refusedMoments: soak ? 5 : 1,
  /** Of the ways to lose a journal, every how many is tried. */
  everyLoss: soak ? 1 : 37,
  /** Steps through a server that answers one request in five with a failure. */
  steps: soak ? 10_000 : 100,
  /** Draws of a contract, a manifest and spellings of answers. */
  drawnContracts: soak ? Number(process.env["HOSTFORM_SOAK_RUNS"] ?? 1000) / 10 : 1,
  /** Draws of a contract over the whole language, and of answers. */
  anyContracts: soak ? 3 * Number(process.env["HOSTFORM_SOAK_RUNS"] ?? 1000) : 2,
  /** Contents of each record type, of each sort. */
  recordForms: soak ? 2000 : 5,
  /** Vendors whose contracts the doctor examines on stand-ins. */
  doctorVendors: soak ? ["cloudflare", "hetzner-cloud", "hostinger", "mittwald"] : ["hetzner-cloud"],
  /** Whether histories of a repository that are rare, and that take many processes of git, are tried. */
  rareHistories: soak,
  /** Whether tests run that take a second or more, of a rule that cheaper tests beside them, or those of its parts, find broken as well. */
  whole: soak,
  /** Whether the script for any CI is run from plan to drift, beside the jobs of GitHub. */
  wholeScript: soak,
  /** Customers in an account whose import must fit a limit of requests a minute. */
  limitedImport: soak ? { customers: 60, limit: 120 } : { customers: 5, limit: 15 },
  /** Manifests of so many resources of each kind, with a value of any form in each. */
  formsPerManifest: soak ? 40 : 20,
  resourceForms: soak ? 60 : 1,
  /** A fleet whose workers and whose database are killed at writes: how many of each, and how often. At any moment, for minutes: test/soak/fleet-killed.test.ts. */
  fleetCrash: soak
    ? { accounts: 60, kills: 12, restarts: 2, seeds: 3 }
    : { accounts: 6, kills: 2, restarts: 1, seeds: 1 },
  /** Waves of which a share fails: so many accounts at most. */
  fleetWaves: soak
    ? { most: 40, runs: 30, examples: [{ first: 100, failing: [7, 50, 99], status: 422, stopAt: 2 }] }
    : { most: 4, runs: 2, examples: [] },
  /** A limit a minute, and accounts whose requests two workers send to one API under it, in the soak those of two minutes; and how many at least come from how many workers. */
  fleetLimit: soak
    ? { limit: 600, accounts: 240, leastRequests: 1300, leastWorkers: 2 }
    : { limit: 240, accounts: 5, leastRequests: 25, leastWorkers: 1 },
  /** Sizes of two accounts of which the work of commands is compared. */
  works: soak ? { few: 16, many: 64 } : { few: 4, many: 16 },
  /** Accounts of the fleet that is simulated in virtual time. */
  simulatedAccounts: soak ? 100_000 : 600,
} as const;

/** Draws of a whole account and of its future. */
export const accountRuns = soak ? Number(process.env["HOSTFORM_SOAK_RUNS"] ?? 1000) / 5 : 2;
