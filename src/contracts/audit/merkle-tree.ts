import { hash } from 'node:crypto';

/**
 * The Merkle trees of RFC 6962 §2.1 and RFC 9162 §2.1, with SHA-256. A leaf is SHA-256 of 0 and its content, made by the caller. All
 * hashes are in hexadecimal: Node.js makes such a text in less time and memory than a buffer.
 */

/** From the leaf with the first index to before the one with the second. */
export type LeafRange = readonly [start: number, end: number];

/** The root of a tree without leaves. */
const emptyRoot = hash('sha256', '');

/** SHA-256 of 1 and both hashes. */
export function nodeHash(left: string, right: string): string {
  node.write(left, 1, 'hex');
  node.write(right, 33, 'hex');
  return hash('sha256', node);
}

const node = Buffer.alloc(65);
node[0] = 1;

/** Called with each node that will not change any more; `position` counts the nodes of its height from the left. */
type OnNode = (height: number, position: number, hash: string) => void;

/** A tree that grows leaf by leaf. It holds one hash for each of its heights. */
export class MerkleTree {
  readonly #peaks: { readonly height: number; readonly hash: string }[] = [];
  readonly #onNode: OnNode | undefined;
  size = 0;

  constructor(onNode?: OnNode) {
    this.#onNode = onNode;
  }

  add(leaf: string): void {
    this.addSubtree(0, leaf);
  }

  /** Add 2^height leaves by their root; nothing else of them is known. The size so far is a multiple of their number. */
  addSubtree(height: number, root: string): void {
    this.size += 2 ** height;
    let added = { height, hash: root };
    for (let left = this.#peaks.at(-1); left?.height === added.height; left = this.#peaks.at(-1)) {
      this.#peaks.pop();
      added = { height: added.height + 1, hash: nodeHash(left.hash, added.hash) };
      this.#onNode?.(added.height, this.size / 2 ** added.height - 1, added.hash);
    }
    this.#peaks.push(added);
  }

  root(): string {
    const last = this.#peaks.at(-1);
    if (!last) return emptyRoot;
    return this.#peaks.slice(0, -1).reduceRight((right, { hash: left }) => nodeHash(left, right), last.hash);
  }
}

/** 2^height leaves that stand together in a tree, and their root. */
export interface Subtree {
  readonly height: number;
  readonly root: string;
}

/** The largest whole parts that leaves make which follow one another. @param index The place of the first one in the tree. */
export function subtreesOf(index: number, leaves: readonly string[]): readonly Subtree[] {
  const found: Subtree[] = [];
  for (let at = 0; at < leaves.length; ) {
    const longest = Math.floor(Math.log2(leaves.length - at));
    let height = 0;
    while (height < longest && (index + at) % 2 ** (height + 1) === 0) height++;
    const tree = new MerkleTree();
    for (const leaf of leaves.slice(at, at + 2 ** height)) tree.add(leaf);
    found.push({ height, root: tree.root() });
    at += 2 ** height;
  }
  return found;
}

/** Where a tree of `size` leaves divides: the largest power of two below it. */
export function splitOf(size: number): number {
  return 2 ** Math.floor(Math.log2(size - 1));
}

/** The parts of a tree whose roots prove a leaf, from the leaf up (`PATH` in RFC 6962 §2.1.1). */
export function inclusionRanges(index: number, [start, end]: LeafRange): readonly LeafRange[] {
  if (end - start <= 1) return [];
  const middle = start + splitOf(end - start);
  return index < middle
    ? [...inclusionRanges(index, [start, middle]), [middle, end]]
    : [...inclusionRanges(index, [middle, end]), [start, middle]];
}

/** The parts of a tree whose roots prove that it began as a tree of `size` leaves (`PROOF` in RFC 6962 §2.1.2). */
export function consistencyRanges(size: number, [start, end]: LeafRange, isWhole = true): readonly LeafRange[] {
  if (size === end) return isWhole ? [] : [[start, end]];
  const middle = start + splitOf(end - start);
  return size <= middle
    ? [...consistencyRanges(size, [start, middle], isWhole), [middle, end]]
    : [...consistencyRanges(size, [middle, end], false), [start, middle]];
}

/** The root that a leaf and its path lead to (RFC 9162 §2.1.3.2); `undefined` for a path of another length than it has. */
export function rootOfPath(leaf: string, index: number, size: number, path: readonly string[]): string | undefined {
  if (index >= size) return undefined;
  let [own, last, root] = [index, size - 1, leaf];
  for (const sibling of path) {
    if (last === 0) return undefined;
    if (isOdd(own) || own === last) {
      root = nodeHash(sibling, root);
      while (!isOdd(own) && own !== 0) [own, last] = [half(own), half(last)];
    } else root = nodeHash(root, sibling);
    [own, last] = [half(own), half(last)];
  }
  return last === 0 ? root : undefined;
}

export interface TreeHead {
  readonly size: number;
  readonly root: string;
}

/** Whether a tree began as another one (RFC 9162 §2.1.4.2). A tree without leaves is the beginning of every tree. */
export function isContinued(before: TreeHead, after: TreeHead, proof: readonly string[]): boolean {
  if (before.size > after.size) return false;
  if (before.size === 0) return proof.length === 0;
  if (before.size === after.size) return proof.length === 0 && before.root === after.root;
  const isPowerOfTwo = Number.isInteger(Math.log2(before.size));
  const [first, ...others] = isPowerOfTwo ? [before.root, ...proof] : proof;
  if (!first) return false;
  let [own, last] = [before.size - 1, after.size - 1];
  while (isOdd(own)) [own, last] = [half(own), half(last)];
  let [old, root] = [first, first];
  for (const hash of others) {
    if (last === 0) return false;
    if (isOdd(own) || own === last) {
      [old, root] = [nodeHash(hash, old), nodeHash(hash, root)];
      while (!isOdd(own) && own !== 0) [own, last] = [half(own), half(last)];
    } else root = nodeHash(root, hash);
    [own, last] = [half(own), half(last)];
  }
  return last === 0 && old === before.root && root === after.root;
}

function isOdd(number: number): boolean {
  return number % 2 === 1;
}

function half(number: number): number {
  return Math.floor(number / 2);
}
