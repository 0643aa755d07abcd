import { createContext, use } from 'react';
import { en, type Messages } from './en.ts';

export type { Messages } from './en.ts';

/** The language that the console speaks. English is built in; another language comes with `<LanguageContext value={…}>`. */
export const LanguageContext = createContext<Messages>(en);

/** The sentences of the console. */
export function useMessages(): Messages {
  return use(LanguageContext);
}

/** Languages beside English, each a part that is loaded when somebody chose it. */
const languages: Readonly<Record<string, () => Promise<Messages>>> = {
  'en-XA': async () => (await import('./pseudo.ts')).pseudo,
};

/** The sentences of a language; English for one that the console does not have. */
export async function loadLanguage(code: string): Promise<Messages> {
  return (await languages[code]?.()) ?? en;
}
