const poolSize = 4096;

/** Random bytes drawn many at a time: asking the system for sixteen of them takes longer than storing a record. */
export function poolRandom(random: (bytes: number) => Uint8Array): (bytes: number) => Uint8Array {
  let pool: Uint8Array = new Uint8Array();
  return (bytes) => {
    if (pool.length < bytes) pool = random(Math.max(poolSize, bytes));
    const drawn = pool.slice(0, bytes);
    pool = pool.subarray(bytes);
    return drawn;
  };
}
