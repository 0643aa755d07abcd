import { type KeyboardEvent, lazy, type SubmitEvent, Suspense, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { Button, Input, look } from '../design/first-controls.tsx';
import type { ChangeList, ListState } from '../grid/list-state.ts';
import { useFirstMessages } from '../messages/index.ts';
import { isToOne, type VisibleCollection } from '../model/schema.ts';
import styles from './list.module.css';
import { completed, isUnfinished, openQuote, tokenAt } from './search-token.ts';

const SearchSuggestions = lazy(async () => ({
  default: (await import('./search-suggestions.tsx')).SearchSuggestions,
}));

interface SearchBoxProps {
  readonly environment: string;
  readonly collection: VisibleCollection;
  readonly state: ListState;
  readonly onChange: ChangeList;
}

/** The search is sent by Enter or its button. While somebody types, the names and values that fit are offered. */
export function SearchBox({ environment, collection, state, onChange }: SearchBoxProps) {
  const messages = useFirstMessages();
  const { input, text, token, offered, active, type, take, hear, close, setFound } = useCompletion(state.search ?? '');
  const send = (event: SubmitEvent) => {
    event.preventDefault();
    close();
    // The button goes away, and would take the focus with it.
    input.current?.focus();
    onChange({ search: text.trim() || undefined });
  };
  return (
    <search className={styles['search']}>
      <form onSubmit={send}>
        <Input
          ref={input}
          data-key="/"
          role="combobox"
          inputMode="search"
          autoComplete="off"
          aria-label={messages.search}
          aria-expanded={offered.length > 0}
          aria-controls="search-completions"
          aria-autocomplete="list"
          aria-activedescendant={active < 0 ? undefined : `search-completion-${active}`}
          placeholder={messages.searchHelp}
          value={text}
          maxLength={256}
          onKeyDown={hear}
          onBlur={close}
          onChange={({ target }) => {
            type(target.value, target.selectionStart ?? target.value.length);
            if (target.value === '' && state.search !== undefined) onChange({ search: undefined });
          }}
        />
        {text.trim() !== (state.search ?? '') && <Button type="submit">{messages.search}</Button>}
        {openQuote(text) !== undefined && <span className={look.small}>{messages.searchClosed}</span>}
      </form>
      <Completions offered={offered} active={active} onTake={take} />
      {text !== '' && collection.relations.some(isToOne) && (
        <Button
          look="quiet"
          aria-pressed={state.extended === 'true'}
          onClick={() => onChange({ extended: state.extended ? undefined : 'true', search: text.trim() || undefined })}
        >
          {messages.searchRelated}
        </Button>
      )}
      {token && (
        <Suspense>
          <SearchSuggestions agent={{ environment }} collection={collection} token={token} onFound={setFound} />
        </Suspense>
      )}
    </search>
  );
}

/** The text of the box, and the completions of its token while somebody types. */
function useCompletion(search: string) {
  const input = useRef<HTMLInputElement>(null);
  const [text, setText] = useState(search);
  const [seen, setSeen] = useState(search);
  /** Where the caret stands while completions are offered. */
  const [caret, setCaret] = useState<number>();
  const [found, setFound] = useState<readonly string[]>([]);
  const [active, setActive] = useState(-1);
  const place = (at: number | undefined) => {
    setCaret(at);
    setActive(-1);
  };
  // Somebody went back, or cleared the search elsewhere.
  if (seen !== search) {
    setSeen(search);
    setText(search);
  }
  const token = caret === undefined ? undefined : tokenAt(text, caret);
  const offered = token ? found : [];
  const take = (insert: string | undefined) => {
    if (!token || insert === undefined) return;
    const [next, at] = completed(text, token, insert);
    flushSync(() => {
      setText(next);
      place(isUnfinished(insert) ? at : undefined);
    });
    input.current?.setSelectionRange(at, at);
  };
  const hear = (event: KeyboardEvent) => {
    if (offered.length === 0) return;
    if (event.key === 'ArrowDown') setActive((active + 1) % offered.length);
    else if (event.key === 'ArrowUp') setActive(active <= 0 ? offered.length - 1 : active - 1);
    else if (event.key === 'Enter' && active >= 0) take(offered[active]);
    else if (event.key === 'Escape') place(undefined);
    else return;
    event.preventDefault();
  };
  const type = (next: string, at: number) => {
    setText(next);
    place(at);
  };
  return { input, text, token, offered, active, take, hear, type, close: () => place(undefined), setFound };
}

interface CompletionsProps {
  readonly offered: readonly string[];
  readonly active: number;
  readonly onTake: (value: string) => void;
}

function Completions({ offered, active, onTake }: CompletionsProps) {
  const messages = useFirstMessages();
  return (
    <div
      role="listbox"
      id="search-completions"
      tabIndex={-1}
      aria-label={messages.searchCompletions}
      className={styles['completions']}
      hidden={offered.length === 0}
      // The focus stays in the box.
      onMouseDown={(event) => event.preventDefault()}
    >
      {offered.map((value, index) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: the input hears the keys
        <div
          key={value}
          id={`search-completion-${index}`}
          role="option"
          tabIndex={-1}
          aria-selected={index === active}
          className={look.choice}
          onClick={() => onTake(value)}
        >
          <bdi>{value}</bdi>
        </div>
      ))}
    </div>
  );
}
