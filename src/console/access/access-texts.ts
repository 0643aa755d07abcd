import { useSuspenseQuery } from '@tanstack/react-query';
import { type Messages, useMessages } from '../messages/index.ts';

/** Where people answer what their assistants ask. */
export const assistantsPage = '/settings/assistants';

export type AccessTexts = Awaited<ReturnType<Messages['accessTexts']>>;

/** The sentences of this room, which come with its first screen. */
export function useAccessTexts(): AccessTexts {
  const { code, accessTexts } = useMessages();
  return useSuspenseQuery({
    queryKey: ['texts of access', code],
    queryFn: accessTexts,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: Number.POSITIVE_INFINITY,
  }).data;
}
