/** Starts a timer. Of timers of one length in one process the first started ends first: what waits as long from now on ends after it. */
export function startTimer(milliseconds: number): { readonly isOver: () => boolean } {
  let over = false;
  setTimeout(() => {
    over = true;
  }, milliseconds);
  return { isOver: () => over };
}
