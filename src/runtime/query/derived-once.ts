/**
 * `derive`, carried out once for each pair of objects: the same request, sent again, leads to the same objects, so that it is
 * not read, checked and planned again. A result is kept when it is frozen, and the first of the objects too; what is not
 * may be something else next time. What is kept goes with the objects that it was derived from.
 *
 * @param derive gives the same for the same objects; `context` follows from the second of them.
 */
export function derivedOnce<First extends object, Second extends object, Context extends readonly unknown[], Result>(
  derive: (first: First, second: Second, ...context: Context) => Result,
): (first: First, second: Second, ...context: Context) => Result {
  const kept = new WeakMap<First, WeakMap<Second, { readonly result: Result }>>();
  return (first, second, ...context) => {
    const known = kept.get(first);
    const found = known?.get(second);
    if (found) return found.result;
    const result = derive(first, second, ...context);
    if (!Object.isFrozen(first) || !Object.isFrozen(result)) return result;
    if (known) known.set(second, { result });
    else kept.set(first, new WeakMap([[second, { result }]]));
    return result;
  };
}
