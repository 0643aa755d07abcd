import { type StorePlace, storePlace } from '#flows/platform/store-place';
import type { CliContext } from '../invocation/cli-context.ts';
import type { Invocation } from '../invocation/invocation.ts';

/** The store that a flag names. A password is taken from the flag's variable only. */
export function storeFrom(invocation: Invocation, context: CliContext, address: string, variable: string): StorePlace {
  const isArgument = invocation.environment.arguments.some((word) => word.includes(address));
  return storePlace(context, address, isArgument, variable);
}
