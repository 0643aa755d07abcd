import type { ShopRequest } from './requests.ts';
import type { Rights } from './rights.ts';
import { type Name, relations } from './shop-data.ts';

/** Whether a request may be answered, written down as the documents have it. */
export function mayAsk({ of }: Rights, { kind, root, asked, shown, url }: ShopRequest): boolean {
  if (kind === 'form') return true;
  if ((kind === 'get' || kind === 'chart') && !of[root].read) return false;
  if (kind !== 'get' && kind !== 'chart' && !of[root].browse) return false;
  if (url.includes('.csv') && !of[root].export) return false;
  const named = [
    ...asked.flatMap((path) => onTheWay(root, path).slice(-1)),
    ...shown.flatMap((path) => onTheWay(root, path)),
  ];
  return named.every((name) => of[name].read);
}

/** Where related records are asked from. */
const parents: Readonly<Record<Name, Name | undefined>> = {
  customers: undefined,
  orders: 'customers',
  lines: 'orders',
};

/** Whether an answer may depend on what the caller cannot read. What is beyond a scope never counts, wherever a path leads. */
export function mayDiffer(rights: Rights, request: ShopRequest): boolean {
  if (!mayAsk(rights, request)) return false;
  // Its own records are what it may be about, with or without the right to read those that others lead to.
  if (!rights.of[request.root].read) return true;
  // What is related to a record is shown as far as that record is in scope, whoever may read it.
  const parent = request.kind === 'related' ? parents[request.root] : undefined;
  return parent !== undefined && rights.scopes[parent] !== null;
}

/** The collections that a path leads to, the one where it ends last. */
function onTheWay(root: Name, path: string): Name[] {
  let name = root;
  return path
    .split(':')
    .slice(0, -1)
    .map((step) => {
      name = relations[name][step] as Name;
      return name;
    });
}
