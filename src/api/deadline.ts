/**
 * Returns a signal that is aborted with a TimeoutError after some milliseconds, unless it was ended before. `AbortSignal.timeout` keeps
 * each signal for all that time: tens of thousands in an apply.
 */
export function startDeadline(milliseconds: number): { readonly signal: AbortSignal; readonly end: () => void } {
  const controller = new AbortController();
  const timer = setTimeout(() => {
    controller.abort(new DOMException("The operation was aborted due to timeout", "TimeoutError"));
  }, milliseconds);
  timer.unref();
  return { signal: controller.signal, end: () => clearTimeout(timer) };
}
