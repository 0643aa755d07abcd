/**
 * What comes and goes with requests, in the order in which it came. A `Set` or a `Map` would hold what has left until V8 collects
 * the old objects. Each of its tables points to the next one, and an old table keeps all that come after it.
 *
 * @example
 * const waiting = new UnderWay<() => void>();
 * waiting.add(giveUp);
 * waiting.delete(giveUp); // true
 */
export class UnderWay<Item> implements Iterable<Item> {
  readonly #items: Item[] = [];

  get size(): number {
    return this.#items.length;
  }

  /** @param item Not there yet. */
  add(item: Item): void {
    this.#items.push(item);
  }

  /** Whether it was there. What came last is found first. */
  delete(item: Item): boolean {
    const place = this.#items.lastIndexOf(item);
    if (place === -1) return false;
    this.#items.splice(place, 1);
    return true;
  }

  first(): Item | undefined {
    return this.#items[0];
  }

  /** Whoever walks may delete the item that is passed, and others. As with a `Set`, what comes meanwhile is passed too. */
  *[Symbol.iterator](): Generator<Item> {
    for (let place = 0; place < this.#items.length; ) {
      const item = this.#items[place] as Item;
      yield item;
      // An item that was deleted has left its place to the next one. It stands further to the front where others were.
      const now = this.#items[place] === item ? place : this.#items.indexOf(item);
      if (now !== -1) place = now + 1;
    }
  }
}
