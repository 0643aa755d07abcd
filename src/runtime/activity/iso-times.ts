/** Times in ISO 8601, to the millisecond. The part down to the second is made once for all of a second. */
export function createIsoTimes(): (ms: number) => string {
  let second = Number.NaN;
  let upToSecond = '';
  return (ms) => {
    const wanted = Math.floor(ms / 1_000);
    if (wanted !== second) {
      upToSecond = new Date(wanted * 1_000).toISOString().slice(0, -'000Z'.length);
      second = wanted;
    }
    return `${upToSecond}${String(Math.floor(ms) - wanted * 1_000).padStart(3, '0')}Z`;
  };
}
