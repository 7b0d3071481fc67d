import type { Ending } from "../engine/session/host.ts";
import type { Emit } from "../engine/session/events.ts";
import { badArguments, inputError, InputError, orMistake } from "../engine/session/input-error.ts";
import { realPath } from "../lib/inside.ts";
import { orElse } from "../lib/or-undefined.ts";
import { harmless } from "../lib/shorten.ts";
import { inWords } from "../lib/system-words.ts";
import { appendText, requireFilePlace, writeFile } from "../lib/write-file.ts";
import { readSources } from "../manifest/sources.ts";
import { mistakeDiagnostics } from "../messages/mistakes.ts";
import { noticeTypes, type Notice } from "../messages/notices.ts";
import type { Diagnostic } from "../model/diagnostic.ts";
import { annotationOf, codeQuality, explainingFirst, remarksOf } from "../render/annotations.ts";
import { failureDiagnostic } from "../render/failure-text.ts";
import type { Event } from "../render/json-events.ts";
import { renderEvent } from "../render/mask-event.ts";
import type { PageSource } from "../render/page/page-items.ts";
import { commandCompleter } from "./complete-commands.ts";
import type { Io } from "./io.ts";
import type { NotifyOptions } from "./notifying.ts";
import { printer, type PrinterOptions } from "./printer.ts";

export interface FormOptions extends PrinterOptions, NotifyOptions {
  /** Default: text. */
  readonly format?: "text" | "markdown" | "json" | undefined;
  /** Files for the same in other forms: a page for a browser, Markdown, events, and GitLab's report of code quality. */
  readonly html?: string | undefined;
  readonly markdown?: string | undefined;
  readonly jsonInto?: string | undefined;
  readonly codeQuality?: string | undefined;
  /** Files that the command itself writes. */
  readonly out?: string | undefined;
  readonly undoOut?: string | undefined;
  /** A saved plan. */
  readonly plan?: string | undefined;
}

/** Notices of progress: nobody reads them afterwards. */
const passing: ReadonlySet<string> = new Set(["reading", "timings", "waiting", "lock_waiting", "rehearsing"]);
const noticed: ReadonlySet<string> = new Set(noticeTypes.filter((type) => !passing.has(type)));

/** As many annotations of a step as GitHub shows, of each severity. */
const mostAnnotations = 10;

/**
 * Runs a command, prints what it tells, and writes the same in each other form that the options or the runner ask for; how an apply or a look
 * at drift ended is posted, too. An apply may have
 * changed something: a form that cannot be written does not change how it ended, and hides no mistake.
 * @param command a part of the mark by which a comment is found again.
 */
export async function printForms(
  command: "plan" | "apply" | "drift" | "validate",
  options: FormOptions,
  io: Io,
  run: (emit: Emit) => Promise<Ending>,
): Promise<Ending> {
  const { format, html, markdown, jsonInto, codeQuality: quality } = options;
  const isMarkdown = format === "markdown";
  const named = [options.plan ?? options.file ?? options.found?.path ?? ""].flat();
  const markdownPage = async (source: PageSource) => {
    const { renderMarkdownPage } = await import("../render/markdown-page.ts");
    return renderMarkdownPage(source, `${command}:${named.join(",")}`, io.mask, io.now(), options.showIgnored);
  };
  const files = checkFiles({ html, markdown, jsonInto, codeQuality: quality }, options);
  const given = { ...options, json: options.json || format === "json" };
  const print = printer(isMarkdown ? { ...io, color: false, write: () => undefined } : io, given);
  const events: Event[] = [];
  const collect =
    jsonInto === undefined
      ? undefined
      : printer(
          { ...io, writeError: () => undefined, writeEvent: (event) => void events.push(event) },
          { ...options, json: true },
        );
  const gathered = gather(options);
  const { emit } = gathered;
  const say: Emit = (event) => {
    print(event);
    collect?.(event);
    emit(event);
  };
  const writeAll = async () => {
    const source = gathered.source();
    const isBare = !source.plan && !source.drift && source.diagnostics.length === 0;
    const isEmpty = isBare && !source.notices.some(({ type }) => type === "valid");
    const remarks = remarksOf(source);
    if (isMarkdown && !isEmpty) io.write(await markdownPage(source));
    annotate(remarks, io);
    const { GITHUB_STEP_SUMMARY: summary } = io.env;
    if (isGitHub(io) && summary !== undefined && !isEmpty) summarise(summary, await markdownPage(source), io);
    const texts: Readonly<Record<keyof typeof files, () => Promise<string> | string>> = {
      html: async () => {
        const { renderHtmlPage } = await import("../render/page/html-page.ts");
        const notices = source.notices.filter(({ type }) => type !== "valid");
        return renderHtmlPage({ ...source, notices }, io.mask, io.now());
      },
      markdown: () => markdownPage(source),
      jsonInto: () => events.map((event) => renderEvent(event, io.mask)).join(""),
      codeQuality: async () => {
        const { sources } = await readSources(named, { readStdin: async () => Buffer.of() });
        const first = sources[0]?.file ?? named[0] ?? "";
        return `${JSON.stringify(codeQuality(remarks, first, io.env["CI_PROJECT_DIR"], io.mask), undefined, 2)}\n`;
      },
    };
    for (const [form, path] of Object.entries(files) as [Form, string][])
      if (form === "jsonInto" || form === "codeQuality" || !(form === "html" ? isBare : isEmpty)) {
        writeForm(path, await texts[form]());
        if (form === "html" && !given.json && !isMarkdown) io.write(`The page is in ${harmless(io.mask(path))}.\n`);
      }
  };
  const finish = (isDecided: boolean) =>
    orElse(writeAll, (error) => {
      if (!isDecided || !(error instanceof InputError && error.mistake.type === "diagnostics")) throw error;
      print(error.mistake);
    });
  const runAndPost = async () => {
    if (command !== "apply" && command !== "drift") return run(say);
    const { runAndNotify } = await import("./notifying.ts");
    return runAndNotify(command, options, { ...io, emit: say }, run);
  };
  const ending = await orElse(runAndPost, async (error) => {
    // A mistake is printed by whoever has started the command.
    if (!(error instanceof InputError)) throw error;
    const mistake = { type: "diagnostics", diagnostics: mistakeDiagnostics(error.mistake) } as const;
    collect?.(mistake);
    emit(mistake);
    await finish(true);
    throw error;
  });
  await finish(command === "apply");
  return ending;
}

/** Gathers what a run tells, for a form that shows it as a whole. */
function gather(options: PrinterOptions): { readonly emit: Emit; readonly source: () => PageSource } {
  const complete = commandCompleter(options);
  const [diagnostics, notices]: [Diagnostic[], Notice[]] = [[], []];
  let source: Partial<PageSource> = {};
  const emit: Emit = (given) => {
    const event = complete(given);
    if (event.type === "diagnostics") diagnostics.push(...event.diagnostics);
    else if (event.type === "failure") diagnostics.push(failureDiagnostic(event.failure));
    else if (event.type === "put_backs")
      source = { ...source, putBacks: [...(source.putBacks ?? []), ...event.putBacks] };
    else if (event.type === "report") source = { ...source, report: event.report };
    else if (event.type === "drift") source = { ...source, drift: event.drift };
    else if (event.type === "unmanaged") source = { ...source, unmanaged: event };
    // After the report of an apply comes what still differs.
    else if (event.type === "plan") source = { ...source, [source.report ? "rest" : "plan"]: event.plan };
    else if (noticed.has(event.type)) notices.push(event as Notice);
  };
  return { emit, source: () => ({ ...source, diagnostics: explainingFirst(diagnostics), notices }) };
}

/** Adds a page to the summary of a job. A command whose summary cannot be written has done its work all the same. */
function summarise(path: string, page: string, { writeError }: Io): void {
  try {
    appendText(path, `${page}\n`);
  } catch (error) {
    writeError(`The summary of the job cannot be written: ${harmless((inWords(error, path) as Error).message)}\n`);
  }
}

const isGitHub = ({ env }: Io) => env["GITHUB_ACTIONS"] === "true";

/** Has the runner of GitHub show each mistake and warning beside the line that it is about. */
function annotate(diagnostics: readonly Diagnostic[], io: Io): void {
  if (!isGitHub(io)) return;
  const counts = new Map<string, number>();
  for (const diagnostic of diagnostics) {
    const count = counts.get(diagnostic.severity) ?? 0;
    counts.set(diagnostic.severity, count + 1);
    if (count < mostAnnotations) io.writeCommand(annotationOf(diagnostic, io.env["GITHUB_WORKSPACE"], io.mask));
  }
}

const expectedNames = {
  html: ["--html", /\.html?$/iu, ".html", "plan.html"],
  markdown: ["--markdown", /\.(?:md|markdown)$/iu, ".md", "plan.md"],
  jsonInto: ["--json-into", /\.(?:json|jsonl|ndjson)$/iu, ".json or .jsonl", "plan.jsonl"],
  codeQuality: ["--code-quality", /\.json$/iu, ".json", "gl-code-quality-report.json"],
} as const;
type Form = keyof typeof expectedNames;

/** Throws an InputError unless each form may be written: a mistyped name must cost neither a manifest nor a run. */
function checkFiles(
  paths: Readonly<Partial<Record<Form, string | undefined>>>,
  { out, undoOut }: Pick<FormOptions, "out" | "undoOut">,
): Partial<Record<Form, string>> {
  const taken = new Set<string>();
  const take = (flag: string, path: string | undefined) => {
    if (path === undefined) return;
    const again = `${flag} names a file that another flag names, too: ${path}`;
    if (taken.has(realPath(path))) throw badArguments(again, "each needs a file of its own");
    taken.add(realPath(path));
  };
  take("--out", out);
  take("--undo-out", undoOut);
  const named = Object.entries(paths).flatMap(([form, path]) =>
    path === undefined ? [] : [[form as Form, path] as const],
  );
  for (const [form, path] of named) {
    const [flag, pattern, end, example] = expectedNames[form];
    if (!pattern.test(path))
      throw badArguments(`${flag}: expected a name that ends in ${end}, found ${path}`, `such as ${example}`);
    take(flag, path);
    requireFilePlace(path);
  }
  return Object.fromEntries(named);
}

const writeForm = (path: string, text: string): void =>
  orMistake(
    () => writeFile(path, text, 0o600),
    (reason) => inputError("not_written", `The page cannot be written to ${path}: ${reason}`, "check the path").mistake,
  );
