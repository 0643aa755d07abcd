import { Link } from '@tanstack/react-router';
import { useFirstMessages } from '../messages/index.ts';
import type { Column, VisibleField } from '../model/schema.ts';
import { zone } from '../wire/agent.ts';
import { own } from '../wire/own.ts';
import { noId, type Row } from '../wire/records.ts';
import { isNumeric } from './field-type.ts';
import { textOf } from './text-of.ts';
import styles from './value.module.css';

interface FieldValueProps {
  readonly value: unknown;
  readonly field: VisibleField;
}

/** A value of a field in one line, beside the dot of its tone where code gives it one. */
export function FieldValue({ value, field: { type, enumValues, tones } }: FieldValueProps) {
  const shown = <Value value={value} type={type} enumValues={enumValues} />;
  const tone = tones && own(tones, String(value));
  if (!tone) return shown;
  return (
    <span className={styles['toned']} data-tone={tone}>
      {shown}
    </span>
  );
}

interface ValueProps {
  readonly value: unknown;
  readonly type: unknown;
  /** The values of an enumeration: one that is not among them is marked. */
  readonly enumValues?: readonly string[] | null;
}

/** A value in one line. `null`, `""`, `0` and `false` are four different signs. */
export function Value({ value, type, enumValues }: ValueProps) {
  const messages = useFirstMessages();
  const { text, kind } = textOf(value, type, zone());
  const isUnknown = enumValues && typeof value === 'string' && !enumValues.includes(value);
  if (kind === 'plain' && !isUnknown) return text;
  return (
    <span className={styles[kind]}>
      {text}
      {isUnknown && (
        <abbr className={styles['mark']} title={messages.notInSchema}>
          ?
        </abbr>
      )}
    </span>
  );
}

/** What a row has in a column: a value, or the title of the record that a relation leads to. */
export function CellValue({ row, column }: { readonly row: Row; readonly column: Column }) {
  const shown = row.shown && own(row.shown, column.name);
  if (shown !== undefined) return shown;
  if (column.field) {
    const value = <FieldValue value={own(row.values, column.name)} field={column.field} />;
    const place = row.links && own(row.links, column.name);
    if (!place) return value;
    return (
      <Link to="/$environment/data/$collection/$id" params={{ ...place }} tabIndex={-1}>
        {value}
      </Link>
    );
  }
  const related = own(row.related, column.name);
  if (!related) return <Value value={null} type="String" />;
  return titleOf(related, column.relation.title);
}

/** Whether a column stands to the right. */
export function isRight({ field }: Column): boolean {
  return field !== undefined && isNumeric(field.type);
}

/** What names a record: the value of its title field, or its id where it has none. */
export function titleOf(row: Pick<Row, 'id' | 'values'>, title: string): string {
  const value = own(row.values, title);
  if (value !== null && value !== undefined && value !== '') return textOf(value, 'String', zone()).text;
  return row.id === noId ? textOf(null, 'String', zone()).text : row.id;
}
