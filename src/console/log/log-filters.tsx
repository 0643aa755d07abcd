import { Link, useParams } from '@tanstack/react-router';
import { useEffect, useId, useRef, useState } from 'react';
import { Input, look } from '../design/controls.tsx';
import { useNarrow } from '../design/use-narrow.ts';
import { useStable } from '../design/use-stable.ts';
import { type Messages, useMessages } from '../messages/index.ts';
import { ValueEditor } from '../values/editor.tsx';
import { midnightOf } from '../values/read-zone-time.ts';
import { editableText, readTyped } from '../values/typed.ts';
import { zone } from '../wire/agent.ts';
import styles from './log.module.css';
import {
  type ChangeLog,
  filterNames,
  filtersOf,
  keptActions,
  type LogFilterName,
  type LogKind,
  type LogState,
  usualFilters,
} from './log-state.ts';

interface LogFiltersProps {
  readonly kind: LogKind;
  readonly state: LogState;
  readonly environments: readonly string[];
  readonly collections: readonly string[];
  readonly onChange: ChangeLog;
}

/** Which rows are shown. A choice counts at once, and what somebody types when they pause. */
export function LogFilters({ kind, state, environments, collections, onChange }: LogFiltersProps) {
  const messages = useMessages();
  const isNarrow = useNarrow();
  const { auditLog } = messages;
  const { environment } = useParams({ from: '/$environment/log/$kind/{-$row}' });
  const count = Object.keys(filtersOf(kind, state)).length;
  const names: readonly LogFilterName[] = filterNames[kind];
  const usual = names.slice(0, usualFilters[kind]);
  const rare = names.slice(usualFilters[kind]);
  const filter = (name: LogFilterName) => (
    <Filter
      key={name}
      name={name}
      value={state[name]}
      options={optionsOf(name, kind, messages)}
      suggestions={name === 'collectionName' ? collections : []}
      onChange={(value) => onChange({ [name]: value })}
    />
  );
  return (
    <details className={styles['filters']} open={!isNarrow}>
      <summary data-key="f">{auditLog.filters(count)}</summary>
      <form onSubmit={(event) => event.preventDefault()}>
        {kind === 'activity' && environments.length > 1 && (
          <Choice
            name={auditLog.filterNames.environment}
            value={state.environment}
            options={environments.map((name) => [name, name])}
            onChange={(environment) => onChange({ environment })}
          />
        )}
        {usual.map(filter)}
        <details className={styles['more']} open={rare.some((name) => state[name] !== undefined)}>
          <summary>{auditLog.moreFilters}</summary>
          <div>{rare.map(filter)}</div>
        </details>
      </form>
      {kind === 'activity' && (
        <Link
          className={look.small}
          to="/$environment/log/$kind/{-$row}"
          params={{ environment, kind: 'admin', row: undefined }}
          search={{ resource: 'approval' }}
        >
          {auditLog.approvalsElsewhere}
        </Link>
      )}
    </details>
  );
}

type Options = readonly (readonly [value: string, words: string])[];

/** The values of a filter that has a few of them; `undefined` for a text. */
function optionsOf(name: LogFilterName, kind: LogKind, { auditLog }: Messages): Options | undefined {
  switch (name) {
    case 'type':
      return Object.entries(kind === 'activity' ? auditLog.types : auditLog.changes);
    case 'action':
      return keptActions.map((action) => [action, auditLog.actions[action]]);
    case 'status':
      return Object.entries(auditLog.outcomes);
    case 'resource':
      return Object.entries(auditLog.resources);
    case 'initiator':
      return Object.entries(auditLog.initiators);
    default:
      return undefined;
  }
}

interface FilterProps {
  readonly name: LogFilterName;
  readonly value: string | undefined;
  readonly options: Options | undefined;
  readonly suggestions: readonly string[];
  readonly onChange: (value: string | undefined) => void;
}

function Filter({ name, value, options, suggestions, onChange }: FilterProps) {
  const label = useMessages().auditLog.filterNames[name];
  if (options) return <Choice name={label} value={value} options={options} onChange={onChange} />;
  if (name === 'createdAt.gte' || name === 'createdAt.lt') {
    return <TimeFilter name={label} value={value} onChange={onChange} />;
  }
  return <TextFilter name={label} value={value} suggestions={suggestions} onChange={onChange} />;
}

type TextFilterProps = Pick<FilterProps, 'value' | 'onChange'> & { readonly name: string };

/** How long somebody does not type before it counts. */
const pauseMs = 600;

/**
 * What somebody types. It counts after a short pause, with Enter, or when they leave the field. Another address has another text.
 *
 * @param read the value that the address has for a text: none for `''`, and `undefined` where the text says nothing yet.
 */
function useTyped(
  { value, onChange }: Pick<FilterProps, 'value' | 'onChange'>,
  textOf: (value: string) => string,
  read: (text: string) => string | undefined,
) {
  const [known, setKnown] = useState(value);
  const [sent, setSent] = useState(value);
  const [text, setText] = useState(() => textOf(value ?? ''));
  const pause = useRef<ReturnType<typeof setTimeout>>(undefined);
  if (known !== value) {
    setKnown(value);
    setSent(value);
    // Whoever types on while their filter arrives keeps what they typed.
    if (value !== sent) setText(textOf(value ?? ''));
  }
  const take = useStable(() => {
    clearTimeout(pause.current);
    const next = read(text);
    if (next === undefined || next === (value ?? '')) return;
    setSent(next || undefined);
    onChange(next || undefined);
  });
  useEffect(() => () => clearTimeout(pause.current), []);
  const type = (next: string) => {
    setText(next);
    clearTimeout(pause.current);
    pause.current = setTimeout(take, pauseMs);
  };
  return { text, type, take };
}

function TextFilter({ name, suggestions, ...filter }: TextFilterProps & { readonly suggestions: readonly string[] }) {
  const id = useId();
  const { text, type, take } = useTyped(filter, String, (typed) => typed.trim());
  return (
    <div>
      <label htmlFor={id} className={look.small}>
        {name}
      </label>
      <Input
        id={id}
        value={text}
        list={`${id} values`}
        autoComplete="off"
        onChange={({ target }) => type(target.value)}
        onBlur={take}
        onKeyDown={({ key }) => key === 'Enter' && take()}
      />
      <datalist id={`${id} values`}>
        {suggestions.map((each) => (
          <option key={each} value={each} />
        ))}
      </datalist>
    </div>
  );
}

interface ChoiceProps {
  readonly name: string;
  readonly value: string | undefined;
  readonly options: Options;
  readonly onChange: (value: string | undefined) => void;
}

/** A value that an address names and nobody knows stays, for the platform to say so. */
function Choice({ name, value, options, onChange }: ChoiceProps) {
  const { auditLog } = useMessages();
  const isKnown = value === undefined || options.some(([each]) => each === value);
  const id = useId();
  return (
    <div>
      <label htmlFor={id} className={look.small}>
        {name}
      </label>
      <select
        id={id}
        className={look.input}
        value={value ?? ''}
        onChange={({ target }) => onChange(target.value || undefined)}
      >
        <option value="">{auditLog.any}</option>
        {!isKnown && <option>{value}</option>}
        {options.map(([each, words]) => (
          <option key={each} value={each}>
            {words}
          </option>
        ))}
      </select>
    </div>
  );
}

/** A time. It is in the address in UTC. A day without a time begins at midnight. */
function TimeFilter({ name, ...filter }: TextFilterProps) {
  const messages = useMessages();
  const id = useId();
  const readTime = (text: string) => readTyped(text, { type: 'Date' }, zone(), messages.typed);
  const { text, type, take } = useTyped(
    filter,
    (time) => editableText(time || null, { type: 'Date' }, zone()) ?? '',
    (typed) => {
      const [, day] = /^(\d{4}-\d\d-\d\d) ::$/.exec(typed) ?? [];
      if (typed === '' || day !== undefined) return day === undefined ? '' : midnightOf(day, zone());
      const time = readTime(typed);
      return 'value' in time ? String(time.value) : undefined;
    },
  );
  const isBegun = text === '' || text.endsWith(' ::');
  return (
    <fieldset
      className={styles['wide']}
      onBlur={({ currentTarget, relatedTarget }) => currentTarget.contains(relatedTarget) || take()}
      onKeyDown={({ key }) => key === 'Enter' && take()}
    >
      <legend className={look.small}>{name}</legend>
      <ValueEditor
        id={id}
        name={name}
        label={name}
        type="Date"
        text={text}
        isNullable={false}
        isInvalid={!isBegun && 'problem' in readTime(text)}
        onChange={(next) => type(next ?? '')}
      />
    </fieldset>
  );
}
