import type { FirstMessages } from '../messages/index.ts';
import type { VisibleCollection } from '../model/schema.ts';
import { isAddressable } from '../wire/agent.ts';
import { noId } from '../wire/records.ts';

/** Why a record has no page for this person; `undefined` where it has one. */
export function whyNoPage(
  { name, rights }: VisibleCollection,
  id: string,
  messages: FirstMessages,
): string | undefined {
  if (!rights.read) return messages.mayNotRead(name);
  if (id === noId) return messages.hasNoKey(name);
  return isAddressable(id) ? undefined : messages.notAddressable(id);
}

/** The address that the pages of records are below; `undefined` where the person may not open them. */
export function pagesOf(environment: string, { name, rights }: VisibleCollection): string | undefined {
  return rights.read ? `/console/${encodeURIComponent(environment)}/data/${encodeURIComponent(name)}` : undefined;
}
