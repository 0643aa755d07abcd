import { useQuery } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { selectionAttributes } from '../grid/selection.ts';
import type { VisibleAction, VisibleCollection } from '../model/schema.ts';
import { type AgentAddress, askAgent } from '../wire/agent.ts';
import type { ActionTarget } from './action-target.ts';

/** A field of a form, as the agent describes it. */
export interface FormField {
  readonly field: string;
  readonly label: string;
  readonly description?: string;
  readonly type: unknown;
  readonly isRequired?: boolean;
  readonly isReadOnly?: boolean;
  /** `orders.id`: the field chooses a record. */
  readonly reference?: string;
  readonly enums?: readonly string[];
  readonly value?: unknown;
  readonly hook?: string;
  readonly widgetEdit?: { readonly name: string; readonly parameters: Readonly<Record<string, unknown>> };
}

export type FormNode =
  | { readonly component: 'input'; readonly fieldId: string }
  | { readonly component: 'separator' }
  | { readonly component: 'htmlBlock'; readonly content: string }
  | { readonly component: 'row'; readonly fields: readonly FormNode[] }
  | {
      readonly component: 'page';
      readonly elements: readonly FormNode[];
      readonly nextButtonLabel?: string;
      readonly previousButtonLabel?: string;
    };

interface FormDocument {
  readonly fields: readonly FormField[];
  readonly layout: readonly FormNode[];
}

export interface ActionForm {
  readonly fields: readonly FormField[];
  readonly nodes: readonly FormNode[];
  readonly values: Readonly<Record<string, unknown>>;
  /** Whether somebody has typed or chosen anything. */
  readonly isChanged: boolean;
  readonly isLoading: boolean;
  /** It is on its way, or the agent refused to tell it. */
  readonly isUnknown: boolean;
  readonly error: Error | null;
  set(field: FormField, value: unknown): void;
  /** The choices of a field whose options the server searches. */
  search(field: FormField, text: string): Promise<readonly unknown[]>;
}

/** The parts of the path of an action, below the prefix of the agent. */
export function actionPath({ endpoint }: VisibleAction, { name }: VisibleCollection): readonly string[] {
  const [, place = ''] = endpoint.split(/\/_actions\/(.*)/s);
  return ['_actions', name, ...place.slice(name.length + 1).split('/')];
}

interface FormOf {
  readonly agent: AgentAddress;
  readonly collection: VisibleCollection;
  readonly action: VisibleAction;
  readonly target: ActionTarget;
}

/** The form of an action, which asks the agent again where the code looks at a value that changes. */
export function useActionForm({ agent, collection, action, target }: FormOf): ActionForm {
  const path = actionPath(action, collection);
  const selected = selectionAttributes(target.selection, target.query);
  const [edits, setEdits] = useState<Readonly<Record<string, unknown>>>({});
  const [changed, setChanged] = useState<FormDocument>();
  const [error, setError] = useState<Error | null>(null);
  const newest = useRef(0);
  const ask = (hook: string, attributes: object, signal?: AbortSignal) =>
    askAgent<FormDocument>(
      agent,
      [...path, 'hooks', hook],
      {},
      {
        method: 'POST',
        body: {
          data: {
            type: 'custom-action-hook-requests',
            attributes: { collection_name: collection.name, ...selected, ...attributes },
          },
        },
        ...(signal ? { signal } : {}),
      },
    );
  const loaded = useQuery({
    queryKey: ['form', agent.environment, path, selected],
    queryFn: ({ signal }) => ask('load', { values: {} }, signal),
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
  });
  const { fields, layout } = changed ?? loaded.data ?? { fields: [], layout: [] };
  const values = valuesOf(fields, edits);
  const sent = (of: Readonly<Record<string, unknown>>) =>
    fields.map((field) => ({ ...field, value: of[field.field] ?? null }));
  const set = (field: FormField, value: unknown) => {
    setEdits((now) => ({ ...now, [field.field]: value }));
    if (!field.hook) return;
    // Answers may overtake each other: only that of the newest edit counts, and it does not touch what was typed since.
    newest.current += 1;
    const turn = newest.current;
    const asked = { ...values, [field.field]: value };
    ask('change', { changed_field: field.field, fields: sent(asked) }).then(
      (answer) => {
        if (turn !== newest.current) return;
        setChanged(answer);
        setError(null);
        setEdits((now) =>
          Object.fromEntries(
            Object.entries(now).filter(([name, typed]) => typed !== asked[name] || name === field.field),
          ),
        );
      },
      (refused: unknown) => {
        if (turn === newest.current) setError(refused instanceof Error ? refused : new Error(String(refused)));
      },
    );
  };
  const search = async (field: FormField, text: string) => {
    const asked = sent(values).map((one) => (one.field === field.field ? { ...one, searchValue: text } : one));
    const answer = await ask('search', { search_field: field.field, fields: asked });
    return optionsOf(answer.fields[0]);
  };
  return {
    fields,
    nodes: layout.length > 0 ? layout : fields.map(({ field }) => ({ component: 'input', fieldId: field })),
    values,
    isChanged: Object.keys(edits).length > 0,
    isLoading: loaded.isPending,
    isUnknown: loaded.data === undefined,
    error: error ?? loaded.error,
    set,
    search,
  };
}

function valuesOf(fields: readonly FormField[], edits: ActionForm['values']): ActionForm['values'] {
  return Object.fromEntries(fields.map(({ field, value }) => [field, field in edits ? edits[field] : value]));
}

/** The choices of a widget: scalars, or values with a label. */
export function optionsOf(field: FormField | undefined): readonly unknown[] {
  const choices = field?.widgetEdit?.parameters['static'] as { readonly options?: readonly unknown[] } | undefined;
  return choices?.options ?? field?.enums ?? [];
}

export interface Option {
  readonly value: unknown;
  readonly label: string;
}

export function optionOf(option: unknown): Option {
  if (typeof option === 'object' && option !== null && 'value' in option) {
    const { value, label } = option as { readonly value: unknown; readonly label?: unknown };
    return { value, label: String(label ?? value) };
  }
  return { value: option, label: String(option) };
}
