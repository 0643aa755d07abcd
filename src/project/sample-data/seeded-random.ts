/** Random-looking numbers that are the same on every run and every machine. Not for secrets. */
export interface SeededRandom {
  /** A number from 0 (included) to 1 (excluded). */
  fraction(): number;
  /** A whole number from `least` to `most`, both included. */
  integer(least: number, most: number): number;
  /** True in `share` of the cases. */
  chance(share: number): boolean;
  pick<Item>(items: readonly [Item, ...Item[]]): Item;
  /** A text in the form of a version 4 UUID. */
  uuid(): string;
}

/** The generator is splitmix32: 32 bits of state, whole-number arithmetic only. */
export function createSeededRandom(seed: number): SeededRandom {
  let state = seed | 0;

  function next(): number {
    state = (state + 0x9e3779b9) | 0;
    let mixed = state ^ (state >>> 16);
    mixed = Math.imul(mixed, 0x21f0aaad);
    mixed ^= mixed >>> 15;
    mixed = Math.imul(mixed, 0x735a2d97);
    return (mixed ^ (mixed >>> 15)) >>> 0;
  }

  const fraction = () => next() / 0x1_0000_0000;
  const integer = (least: number, most: number) => least + Math.floor(fraction() * (most - least + 1));
  return {
    fraction,
    integer,
    chance: (share) => fraction() < share,
    pick: (items) => items[integer(0, items.length - 1)] ?? items[0],
    uuid: () => {
      const hex = Array.from({ length: 4 }, () => next().toString(16).padStart(8, '0')).join('');
      const variant = '89ab'.charAt(integer(0, 3));
      return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20)}`;
    },
  };
}
