/**
 * The value, checked to fit into JSON. Throws a `TypeError` for one that does not: a `bigint`, or an object that holds
 * itself.
 *
 * @param what the value is called in the error, for instance "The body of a webhook".
 */
export function jsonOnly<Value>(what: string, value: Value): Value {
  try {
    JSON.stringify(value);
  } catch (error) {
    const because = error instanceof Error ? error.message.split('\n')[0] : String(error);
    throw new TypeError(`${what} cannot be sent as JSON: ${because}.`, { cause: error });
  }
  return value;
}
