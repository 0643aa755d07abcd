import { useNavigate } from '@tanstack/react-router';
import { useEffect } from 'react';
import type { VisibleCollection } from '../model/schema.ts';

/** A table that somebody pasted into a list. The screen of the import takes it. */
let held: { readonly collection: string; readonly text: string } | undefined;

function holdText(collection: string, text: string): void {
  held = { collection, text };
}

/** What was pasted for the collection; `undefined` for nothing. It is given once. */
export function takeText(collection: string): string | undefined {
  const text = held?.collection === collection ? held.text : undefined;
  held = undefined;
  return text;
}

/** A table that somebody pastes into the list opens the screen of the import. */
export function usePastedTable(environment: string, { name, rights, isReadOnly }: VisibleCollection): void {
  const navigate = useNavigate();
  const mayAdd = rights.add && !isReadOnly;
  useEffect(() => {
    if (!mayAdd) return;
    const hear = (event: ClipboardEvent) => {
      const text = event.clipboardData?.getData('text/plain') ?? '';
      const isInField = event.target instanceof Element && event.target.matches('input, textarea, dialog *');
      if (isInField || !/[\t\n]/.test(text.trim())) return;
      event.preventDefault();
      holdText(name, text);
      void navigate({ to: '/$environment/import/$collection', params: { environment, collection: name } });
    };
    document.addEventListener('paste', hear);
    return () => document.removeEventListener('paste', hear);
  }, [environment, name, mayAdd, navigate]);
}
