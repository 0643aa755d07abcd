import { useSuspenseQuery } from '@tanstack/react-query';
import { createContext, use } from 'react';
import { en, type FirstMessages, type Messages } from './en.ts';

export type { FirstMessages, Messages } from './en.ts';

/** The language that the console speaks. English is built in; another language comes with `<LanguageContext value={…}>`. */
export const LanguageContext = createContext<FirstMessages>(en);

/** The sentences of the first screen. */
export function useFirstMessages(): FirstMessages {
  return use(LanguageContext);
}

const whole = new WeakMap<FirstMessages, Promise<Messages>>();

/** All sentences of the console. Those of later screens come with the first of them. */
export function useMessages(): Messages {
  const first = useFirstMessages();
  const known = whole.get(first);
  if (known) return use(known);
  const all = withLater(first);
  whole.set(first, all);
  return use(all);
}

async function withLater(first: FirstMessages): Promise<Messages> {
  try {
    return { ...first, ...(await first.later()) };
  } catch (error) {
    // The next screen tries again.
    whole.delete(first);
    throw error;
  }
}

type LaterName = 'accessTexts' | 'rulesTexts' | 'verificationTexts';

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
const languages: Readonly<Record<string, () => Promise<FirstMessages>>> = {
  'en-XA': async () => (await import('./pseudo.ts')).pseudo,
};

/** The sentences of a language; English for one that the console does not have. */
export async function loadLanguage(code: string): Promise<FirstMessages> {
  return (await languages[code]?.()) ?? en;
}
