import { type Messages, useLaterTexts } from '../messages/index.ts';

/** Where people answer what their assistants ask. */
export const assistantsPage = '/settings/assistants';

export type AccessTexts = Awaited<ReturnType<Messages['accessTexts']>>;

/** The sentences of this room, which come with its first screen. */
export function useAccessTexts(): AccessTexts {
  return useLaterTexts('accessTexts');
}
