import { lazy, Suspense } from 'react';
import { Input, look } from '../design/controls.tsx';
import { useMessages } from '../messages/index.ts';
import { zone } from '../wire/agent.ts';
import { DateField } from './date-field.tsx';
import { segmentsOf } from './date-segments.ts';
import { fieldTypeOf } from './field-type.ts';

const JsonEditor = lazy(async () => ({ default: (await import('./json-editor.tsx')).JsonEditor }));

export interface EditorProps {
  readonly id: string;
  /** What people call the value; the id where this is absent. */
  readonly name?: string;
  /** Says what is edited, where no label does. */
  readonly label?: string;
  readonly type: unknown;
  /** Times are durations too, which have no parts of a day. */
  readonly isDuration?: boolean | undefined;
  readonly enumValues?: readonly string[] | null;
  /** What was typed; `null` for no value. */
  readonly text: string | null;
  readonly isNullable: boolean;
  readonly isInvalid: boolean;
  readonly describedBy?: string | undefined;
  /** Values that others have, to choose from. */
  readonly suggestions?: readonly string[];
  readonly onChange: (text: string | null) => void;
}

/** An input for one value. Everything is a text until it is sent, so that no digit is lost. */
export function ValueEditor(props: EditorProps) {
  const messages = useMessages();
  const { id, name = id, text, isNullable, onChange } = props;
  const isChoice = fieldTypeOf(props.type) === 'Boolean' || props.enumValues;
  if (isChoice) return <Choice {...props} />;
  return (
    <div className={look.row}>
      <TypedInput {...props} />
      {isNullable && (
        <label className={look.small}>
          <input
            type="checkbox"
            aria-label={`${name}: ${messages.nullValue}`}
            checked={text === null}
            onChange={({ target }) => onChange(target.checked ? null : '')}
          />{' '}
          {messages.nullValue}
        </label>
      )}
    </div>
  );
}

function TypedInput({
  id,
  name = id,
  label,
  type,
  isDuration = false,
  text,
  isInvalid,
  describedBy,
  suggestions = [],
  onChange,
}: EditorProps) {
  const shared = {
    id,
    'aria-label': label,
    value: text ?? '',
    'aria-invalid': isInvalid || undefined,
    'aria-describedby': describedBy,
    onChange: ({ target }: { readonly target: { readonly value: string } }) => onChange(target.value),
  };
  const kind = fieldTypeOf(type);
  if (kind === 'Json' || kind === 'Object') {
    return (
      <Suspense fallback={<textarea className={look.input} {...shared} />}>
        <JsonEditor id={id} text={text ?? ''} isNull={text === null} label={name} onChange={onChange} />
      </Suspense>
    );
  }
  if (kind === 'List' || (kind === 'String' && (text ?? '').length > 80) || text?.includes('\n')) {
    return <textarea className={look.input} {...shared} />;
  }
  if (kind === 'Date' || kind === 'Dateonly' || (kind === 'Time' && !isDuration)) {
    const segments = segmentsOf(text ?? '', kind, zone());
    // What is not a date is a text, which can be corrected.
    if (segments) {
      return (
        <DateField
          id={id}
          name={label ?? name}
          kind={kind}
          segments={segments}
          isInvalid={isInvalid}
          describedBy={describedBy}
          onChange={onChange}
        />
      );
    }
  }
  return (
    <>
      <Input {...shared} list={`${id} values`} inputMode={kind === 'Number' ? 'decimal' : 'text'} autoComplete="off" />
      <datalist id={`${id} values`}>
        {suggestions.map((value) => (
          <option key={value} value={value} />
        ))}
      </datalist>
    </>
  );
}

/** One of a few values. A value that is not among them stays until another one is chosen. */
function Choice({ id, label, type, enumValues, text, isNullable, isInvalid, describedBy, onChange }: EditorProps) {
  const messages = useMessages();
  const known = fieldTypeOf(type) === 'Boolean' ? ['true', 'false'] : (enumValues ?? []);
  const values = text === null || text === '' || known.includes(text) ? known : [text, ...known];
  return (
    <select
      id={id}
      aria-label={label}
      className={look.input}
      value={text ?? ''}
      aria-invalid={isInvalid || undefined}
      aria-describedby={describedBy}
      onChange={({ target }) => onChange(target.value === '' && isNullable ? null : target.value)}
    >
      {(isNullable || text === null || text === '') && <option value="">{isNullable ? messages.nullValue : ''}</option>}
      {values.map((value) => (
        <option key={value} value={value}>
          {value}
        </option>
      ))}
    </select>
  );
}
