import { type ClipboardEvent, type KeyboardEvent, useRef } from 'react';
import { look } from '../design/controls.tsx';
import { useMessages } from '../messages/index.ts';
import { zone } from '../wire/agent.ts';
import styles from './date-field.module.css';
import {
  boundsOf,
  type DateKind,
  lengthOf,
  offsetsOfSegments,
  padded,
  type SegmentName,
  type Segments,
  segmentNames,
  segmentsOf,
  stepped,
  textOfSegments,
  typedInto,
} from './date-segments.ts';
import { instantText } from './zone-time.ts';

interface DateFieldProps {
  readonly id: string;
  readonly name: string;
  readonly kind: DateKind;
  readonly segments: Segments;
  readonly isInvalid: boolean;
  readonly describedBy?: string | undefined;
  readonly onChange: (text: string) => void;
}

const marks: Readonly<Record<SegmentName, string>> = {
  year: '',
  month: '-',
  day: '-',
  hour: ' ',
  minute: ':',
  second: ':',
  fraction: '.',
};

/**
 * A date or a time in parts. Digits fill a part and lead to the next one, arrows change it or move, and a date of ISO 8601 can be pasted
 * into any of them. It says at which offset the zone shows the time, and asks where there are two.
 */
export function DateField({ id, name, kind, segments, isInvalid, describedBy, onChange }: DateFieldProps) {
  const messages = useMessages();
  const group = useRef<HTMLFieldSetElement>(null);
  const names = segmentNames(kind, segments);
  const change = (next: Segments) => onChange(textOfSegments(next, kind, zone()));
  const focus = (index: number) => group.current?.querySelectorAll('input')[index]?.focus();
  const hear = (event: KeyboardEvent<HTMLInputElement>, part: SegmentName, at: number) => {
    const { selectionStart, selectionEnd, value } = event.currentTarget;
    const isWhole = selectionStart === 0 && selectionEnd === value.length;
    if (event.key === 'ArrowUp') change(stepped(segments, part, 1, nowIn(kind)));
    else if (event.key === 'ArrowDown') change(stepped(segments, part, -1, nowIn(kind)));
    else if (event.key === 'ArrowLeft' && selectionStart === 0) focus(at - 1);
    else if (event.key === 'ArrowRight' && (isWhole || selectionEnd === value.length)) focus(at + 1);
    else if (event.key === 'Backspace' && value === '') focus(at - 1);
    else if (/^[-:. T/]$/.test(event.key)) {
      if (value !== '' && !isWhole) focus(at + 1);
    } else return;
    event.preventDefault();
  };
  const paste = (event: ClipboardEvent) => {
    const pasted = segmentsOf(event.clipboardData.getData('text').trim(), kind, zone());
    if (!pasted || pasted === segments) return;
    event.preventDefault();
    change(pasted);
  };
  return (
    <fieldset ref={group} aria-label={name} className={styles['field']} data-invalid={isInvalid || undefined}>
      {names.map((part, at) => {
        const [min, max] = boundsOf(part, segments);
        const digits = segments[part];
        return (
          <span key={part}>
            {at > 0 && <span aria-hidden="true">{marks[part]}</span>}
            <input
              id={at === 0 ? id : undefined}
              role="spinbutton"
              inputMode="numeric"
              autoComplete="off"
              aria-label={`${name}: ${messages.segments[part]}`}
              aria-valuemin={min}
              aria-valuemax={max}
              aria-valuenow={digits === '' ? undefined : Number(digits)}
              aria-invalid={isInvalid || undefined}
              aria-describedby={describedBy}
              className={styles['segment']}
              style={{ width: `${lengthOf(part, kind) + 1}ch` }}
              placeholder={part === 'year' ? 'YYYY' : '––'}
              value={digits}
              onFocus={({ target }) => target.select()}
              onBlur={({ target }) => {
                const left = padded(part, target.value);
                if (left !== target.value) change({ ...segments, [part]: left });
              }}
              onKeyDown={(event) => hear(event, part, at)}
              onPaste={paste}
              onChange={({ target, nativeEvent }) => {
                const typed = typedInto(segments, part, target.value, kind);
                change(typed.segments);
                const isInserted = nativeEvent instanceof InputEvent && nativeEvent.inputType.startsWith('insert');
                if (typed.isFull && isInserted) focus(at + 1);
              }}
            />
          </span>
        );
      })}
      {kind === 'Date' && <Offset name={name} segments={segments} onChange={change} />}
    </fieldset>
  );
}

interface OffsetProps {
  readonly name: string;
  readonly segments: Segments;
  readonly onChange: (segments: Segments) => void;
}

/** The zone, and the offset that it has at that time. */
function Offset({ name, segments, onChange }: OffsetProps) {
  const messages = useMessages();
  const offsets = offsetsOfSegments(segments, zone());
  const [only, other] = offsets ?? [];
  if (offsets && only === undefined) {
    return (
      <span className={styles['skipped']} role="status">
        {messages.typed.skipped(zone())}
      </span>
    );
  }
  if (offsets && other !== undefined) {
    return (
      <select
        className={look.input}
        aria-label={`${name}: ${messages.segments.offset}`}
        value={offsets.includes(segments.offset) ? segments.offset : ''}
        onChange={({ target }) => onChange({ ...segments, offset: target.value })}
      >
        <option value="">{messages.chooseOffset(zone())}</option>
        {offsets.map((offset) => (
          <option key={offset}>{offset}</option>
        ))}
      </select>
    );
  }
  return (
    <span className={look.small}>
      {only} {zone()}
    </span>
  );
}

/** What empty parts begin with. */
function nowIn(kind: DateKind): Segments {
  const now = instantText(new Date().toISOString().replace(/\.\d+/, ''), zone());
  const text = kind === 'Date' ? now : kind === 'Dateonly' ? now.slice(0, 10) : now.slice(11, 19);
  const segments = segmentsOf(text, kind, zone());
  if (!segments) throw new Error('The present has no date.');
  return segments;
}
