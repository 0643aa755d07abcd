import { useSuspenseQuery } from '@tanstack/react-query';
import { createContext, use } from 'react';
import { en, type Messages } from './en.ts';

export type { Messages } from './en.ts';

/** The language that the console speaks. English is built in; another language comes with `<LanguageContext value={…}>`. */
export const LanguageContext = createContext<Messages>(en);

/** The sentences of the console. */
export function useMessages(): Messages {
  return use(LanguageContext);
}

type LaterName = 'accessTexts' | 'rulesTexts';

/** Sentences that come with the first screen that needs them. */
export function useLaterTexts<Name extends LaterName>(name: Name): Awaited<ReturnType<Messages[Name]>> {
  const { code, [name]: load } = useMessages();
  return useSuspenseQuery({
    queryKey: [name, code],
    queryFn: load as () => Promise<Awaited<ReturnType<Messages[Name]>>>,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: Number.POSITIVE_INFINITY,
  }).data;
}

/** Languages beside English, each a part that is loaded when somebody chose it. */
const languages: Readonly<Record<string, () => Promise<Messages>>> = {
  'en-XA': async () => (await import('./pseudo.ts')).pseudo,
};

/** The sentences of a language; English for one that the console does not have. */
export async function loadLanguage(code: string): Promise<Messages> {
  return (await languages[code]?.()) ?? en;
}
