import { hash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  consistencyRanges,
  inclusionRanges,
  isContinued,
  type LeafRange,
  MerkleTree,
  rootOfPath,
} from '#contracts/audit/merkle-tree';

/** The inputs and roots that implementations of RFC 6962 share: the tree of the first leaf, of the first two, and so on. */
const inputs = ['', '00', '10', '2021', '3031', '40414243', '5051525354555657', '606162636465666768696a6b6c6d6e6f'];
const roots = [
  'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
  'fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125',
  'aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77',
  'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
  '4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4',
  '76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef',
  'ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c',
  '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328',
];

const sha256 = (...parts: Buffer[]) => hash('sha256', Buffer.concat(parts));
const bytes = (hexadecimal: string) => Buffer.from(hexadecimal, 'hex');
const leafOf = (content: Buffer) => sha256(Buffer.from([0]), content);
const changed = (digest: string) => sha256(bytes(digest));
const numberedLeaves = (size: number) => Array.from({ length: size }, (_, index) => leafOf(Buffer.from(String(index))));

/** `MTH` as RFC 6962 §2.1 defines it, word for word. */
function definedRoot(leaves: readonly string[]): string {
  const [first] = leaves;
  if (!first) return sha256();
  if (leaves.length === 1) return first;
  let split = 1;
  while (split * 2 < leaves.length) split *= 2;
  return sha256(Buffer.from([1]), bytes(definedRoot(leaves.slice(0, split))), bytes(definedRoot(leaves.slice(split))));
}

const partsOf = (leaves: readonly string[], ranges: readonly LeafRange[]) =>
  ranges.map(([start, end]) => definedRoot(leaves.slice(start, end)));

const size = fc.integer({ min: 1, max: 600 });

describe('a Merkle tree', () => {
  it.each(roots.map((root, count) => [count, root] as const))(
    'of the %i first inputs has the known root',
    (count, root) => {
      const tree = new MerkleTree();
      for (const input of inputs.slice(0, count)) tree.add(leafOf(Buffer.from(input, 'hex')));
      expect(tree.root()).toBe(root);
    },
  );

  it('has the root of its definition at each size, also from whole parts, and tells its nodes', () => {
    fc.assert(
      fc.property(size, fc.nat(3), (count, height) => {
        const leaves = numberedLeaves(count);
        const width = 2 ** height;
        const nodes: string[] = [];
        const grown = new MerkleTree((...[at, position, node]) => nodes.push(`${at}/${position}/${node}`));
        const joined = new MerkleTree();
        for (const [index, leaf] of leaves.entries()) {
          grown.add(leaf);
          if (index % width === width - 1)
            joined.addSubtree(height, definedRoot(leaves.slice(index + 1 - width, index + 1)));
        }
        const whole = count - (count % width);
        expect(grown.root()).toEqual(definedRoot(leaves));
        expect(joined.root()).toEqual(definedRoot(leaves.slice(0, whole)));
        const last = Math.floor(count / 4) - 1;
        if (last >= 0) expect(nodes).toContain(`2/${last}/${definedRoot(leaves.slice(last * 4, last * 4 + 4))}`);
      }),
      { numRuns: 40 },
    );
  });

  it('proves each leaf by its path, and nothing else', () => {
    fc.assert(
      fc.property(size, fc.nat(), fc.nat(), (count, first, second) => {
        const leaves = numberedLeaves(count);
        const root = definedRoot(leaves);
        const [index, other] = [first % count, second % count];
        const path = partsOf(leaves, inclusionRanges(index, [0, count]));
        expect(path.length).toBeLessThanOrEqual(Math.ceil(Math.log2(count)));
        const leaf = leaves[index] ?? root;
        expect(rootOfPath(leaf, index, count, path)).toEqual(root);
        if (other !== index) expect(rootOfPath(leaf, other, count, path)).not.toBe(root);
        expect(rootOfPath(leaf, index, count, [...path, root])).toBeUndefined();
        if (path.length > 0) expect(rootOfPath(leaf, index, count, path.slice(1))).not.toBe(root);
        const [head = root, ...rest] = path;
        if (path.length > 0) {
          expect(rootOfPath(leaf, index, count, [changed(head), ...rest])).not.toBe(root);
        }
        expect(rootOfPath(leaf, count, count, path)).toBeUndefined();
      }),
      { numRuns: 100 },
    );
  });

  it('proves that it went on from an earlier one, and from no other', () => {
    fc.assert(
      fc.property(size, fc.nat(), (count, first) => {
        const leaves = numberedLeaves(count);
        const earlier = 1 + (first % count);
        const before = { size: earlier, root: definedRoot(leaves.slice(0, earlier)) };
        const after = { size: count, root: definedRoot(leaves) };
        const proof = partsOf(leaves, consistencyRanges(earlier, [0, count]));
        expect(isContinued(before, after, proof)).toBe(true);
        expect(isContinued({ ...before, root: changed(before.root) }, after, proof)).toBe(false);
        expect(isContinued(before, { ...after, root: changed(after.root) }, proof)).toBe(false);
        expect(isContinued(before, after, [...proof, after.root])).toBe(false);
        if (proof.length > 0) expect(isContinued(before, after, proof.slice(1))).toBe(false);
        if (earlier < count) expect(isContinued(after, before, proof)).toBe(false);
        const other = [leafOf(Buffer.from('changed')), ...leaves.slice(1)];
        const replaced = partsOf(other, consistencyRanges(earlier, [0, count]));
        expect(isContinued(before, { size: count, root: definedRoot(other) }, replaced)).toBe(false);
      }),
      { numRuns: 100 },
    );
    expect(isContinued({ size: 0, root: sha256() }, { size: 3, root: definedRoot(numberedLeaves(3)) }, [])).toBe(true);
  });
});
