import { useQuery } from '@tanstack/react-query';
import { useDeferredValue, useState } from 'react';
import { Button, Input, look } from '../design/controls.tsx';
import { useMessages } from '../messages/index.ts';
import { collectionQuery } from '../model/schema.ts';
import { ValueEditor } from '../values/editor.tsx';
import { fieldTypeOf } from '../values/field-type.ts';
import { RecordPicker } from '../values/record-picker.tsx';
import { editableText, readTyped } from '../values/typed.ts';
import { type AgentAddress, zone } from '../wire/agent.ts';
import styles from './action.module.css';
import { type ActionForm, type FormField, type Option, optionOf, optionsOf } from './action-form.ts';
import { FileInput } from './file-input.tsx';

interface FormWidgetProps {
  readonly agent: AgentAddress;
  readonly form: ActionForm;
  readonly field: FormField;
  readonly id: string;
  readonly isInvalid: boolean;
}

/** The editor that a field of a form asks for, or the one that its type has. */
export function FormWidget(props: FormWidgetProps) {
  const { form, field, id } = props;
  const value = form.values[field.field];
  const set = (next: unknown) => form.set(field, next);
  const isList = Array.isArray(field.type);
  const widget = field.widgetEdit?.name;
  if (field.isReadOnly) return <output id={id}>{value === null || value === undefined ? '' : String(value)}</output>;
  if (field.reference) return <ReferenceWidget {...props} />;
  if (fieldTypeOf(isList ? (field.type as readonly unknown[])[0] : field.type) === 'File') {
    return (
      <FileInput id={id} isList={isList} value={value} parameters={field.widgetEdit?.parameters ?? {}} onChange={set} />
    );
  }
  if (widget === 'dropdown' && field.widgetEdit?.parameters['searchType'] === 'dynamic')
    return <SearchWidget {...props} />;
  if (widget === 'radio button')
    return <RadioWidget id={id} options={optionsOf(field).map(optionOf)} value={value} onChange={set} />;
  if (widget === 'checkboxes' || (isList && field.enums)) {
    return <CheckboxesWidget options={optionsOf(field).map(optionOf)} value={value} onChange={set} />;
  }
  if (widget === 'dropdown' && !isList)
    return <SelectWidget id={id} options={optionsOf(field).map(optionOf)} value={value} onChange={set} />;
  if (widget === 'color editor') {
    return (
      <Input
        id={id}
        type="color"
        value={typeof value === 'string' ? value.slice(0, 7) : '#000000'}
        onChange={({ target }) => set(target.value)}
      />
    );
  }
  return <TextWidget {...props} />;
}

/** Anything that is typed. What is not a value of the type yet stays as it was typed, and the agent says what it has against it. */
function TextWidget({ form, field, id, isInvalid }: FormWidgetProps) {
  const messages = useMessages();
  const [typed, setTyped] = useState<string | null>();
  const value = form.values[field.field];
  const text = typed ?? (value === null || value === undefined ? '' : editableText(value, field, zone()));
  const change = (next: string | null) => {
    setTyped(next);
    if (next === null || next === '') form.set(field, null);
    else {
      const read = readTyped(next, field, zone(), messages.typed);
      form.set(field, 'value' in read ? read.value : next);
    }
  };
  return (
    <ValueEditor
      id={id}
      type={field.widgetEdit?.name === 'json code editor' ? 'Json' : field.type}
      enumValues={field.enums ?? null}
      text={text}
      isNullable={false}
      isInvalid={isInvalid}
      describedBy={isInvalid ? `${id}-problem` : undefined}
      onChange={change}
    />
  );
}

interface OptionsProps {
  readonly options: readonly Option[];
  readonly value: unknown;
  readonly onChange: (value: unknown) => void;
}

function SelectWidget({ id, options, value, onChange }: OptionsProps & { readonly id: string }) {
  const at = options.findIndex((option) => option.value === value);
  return (
    <select
      id={id}
      className={look.input}
      value={at}
      onChange={({ target }) => onChange(options[Number(target.value)]?.value ?? null)}
    >
      <option value={-1} />
      {options.map(({ label }, index) => (
        <option key={label} value={index}>
          {label}
        </option>
      ))}
    </select>
  );
}

function RadioWidget({ id, options, value, onChange }: OptionsProps & { readonly id: string }) {
  return (
    <fieldset className={styles['choices']} id={id}>
      {options.map((option) => (
        <label key={option.label}>
          <input type="radio" name={id} checked={option.value === value} onChange={() => onChange(option.value)} />{' '}
          {option.label}
        </label>
      ))}
    </fieldset>
  );
}

function CheckboxesWidget({ options, value, onChange }: OptionsProps) {
  const chosen: readonly unknown[] = Array.isArray(value) ? value : [];
  const turn = (one: unknown, isOn: boolean) =>
    onChange(isOn ? [...chosen, one] : chosen.filter((other) => other !== one));
  return (
    <fieldset className={styles['choices']}>
      {options.map((option) => (
        <label key={option.label}>
          <input
            type="checkbox"
            checked={chosen.includes(option.value)}
            onChange={({ target }) => turn(option.value, target.checked)}
          />{' '}
          {option.label}
        </label>
      ))}
    </fieldset>
  );
}

/** A choice whose options the code of the action searches. */
function SearchWidget({ form, field, id }: FormWidgetProps) {
  const messages = useMessages();
  const [text, setText] = useState('');
  const wanted = useDeferredValue(text);
  const found = useQuery({
    queryKey: ['form-search', id, wanted],
    queryFn: () => form.search(field, wanted),
    gcTime: 0,
    placeholderData: (before) => before,
  });
  const value = form.values[field.field];
  return (
    <div className={styles['choices']}>
      <Input
        id={id}
        type="search"
        placeholder={messages.search}
        value={text}
        onChange={({ target }) => setText(target.value)}
      />
      {value !== null && value !== undefined && (
        <p className={look.row}>
          <strong>{String(value)}</strong>
          <Button look="quiet" aria-label={messages.remove(String(value))} onClick={() => form.set(field, null)}>
            ×
          </Button>
        </p>
      )}
      {found.data?.map(optionOf).map((option) => (
        <Button key={option.label} look="quiet" onClick={() => form.set(field, option.value)}>
          {option.label}
        </Button>
      ))}
    </div>
  );
}

/** A field that names a record of a collection. */
function ReferenceWidget({ agent, form, field }: FormWidgetProps) {
  const collection = (field.reference ?? '').replace(/\.[^.]*$/, '');
  const schema = useQuery(collectionQuery(agent, collection));
  const value = form.values[field.field];
  const [title, setTitle] = useState<Readonly<Record<string, unknown>>>({});
  const relation = { name: field.label, collection, title: schema.data?.title ?? '' };
  const chosen = value === null || value === undefined ? null : { id: String(value), collection, values: title };
  return (
    <RecordPicker
      agent={agent}
      relation={relation}
      chosen={chosen}
      onChoose={(record) => {
        setTitle(record.values);
        form.set(field, record.id);
      }}
    />
  );
}
