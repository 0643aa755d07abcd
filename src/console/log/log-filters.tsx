import { Link, useParams } from '@tanstack/react-router';
import { useId, useState } from 'react';
import { Input, look } from '../design/controls.tsx';
import { useNarrow } from '../design/use-narrow.ts';
import { type Messages, useMessages } from '../messages/index.ts';
import { ValueEditor } from '../values/editor.tsx';
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
} from './log-state.ts';

interface LogFiltersProps {
  readonly kind: LogKind;
  readonly state: LogState;
  readonly environments: readonly string[];
  readonly collections: readonly string[];
  readonly onChange: ChangeLog;
}

/** Which rows are shown. A choice counts at once, a text with Enter or when somebody leaves it. */
export function LogFilters({ kind, state, environments, collections, onChange }: LogFiltersProps) {
  const messages = useMessages();
  const isNarrow = useNarrow();
  const { auditLog } = messages;
  const { environment } = useParams({ from: '/$environment/log/$kind/{-$row}' });
  const count = Object.keys(filtersOf(kind, state)).length;
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
        {filterNames[kind].map((name) => (
          <Filter
            key={name}
            name={name}
            value={state[name]}
            options={optionsOf(name, kind, messages)}
            suggestions={name === 'collectionName' ? collections : []}
            onChange={(value) => onChange({ [name]: value })}
          />
        ))}
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

/** What somebody types, until it counts. Another address has another text. */
function useTyped(value: string | undefined, textOf: (value: string) => string) {
  const [known, setKnown] = useState(value);
  const [text, setText] = useState(() => textOf(value ?? ''));
  if (known !== value) {
    setKnown(value);
    setText(textOf(value ?? ''));
  }
  return [text, setText] as const;
}

function TextFilter({
  name,
  value,
  suggestions,
  onChange,
}: TextFilterProps & { readonly suggestions: readonly string[] }) {
  const id = useId();
  const [text, setText] = useTyped(value, String);
  const take = () => {
    const next = text.trim() || undefined;
    if (next !== value) onChange(next);
  };
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
        onChange={({ target }) => setText(target.value)}
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

/** A time, which counts with Enter or when somebody leaves it. It stands in the address in UTC. */
function TimeFilter({ name, value, onChange }: TextFilterProps) {
  const messages = useMessages();
  const id = useId();
  const [text, setText] = useTyped(value, (time) => editableText(time || null, { type: 'Date' }, zone()));
  const typed = text === '' ? undefined : readTyped(text, { type: 'Date' }, zone(), messages.typed);
  const take = () => {
    if (!typed && value !== undefined) onChange(undefined);
    else if (typed && 'value' in typed && typed.value !== value) onChange(String(typed.value));
  };
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
        isInvalid={typed !== undefined && 'problem' in typed}
        onChange={(next) => setText(next ?? '')}
      />
    </fieldset>
  );
}
