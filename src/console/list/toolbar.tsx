import { useNavigate } from '@tanstack/react-router';
import { lazy, type SubmitEvent, Suspense, useState } from 'react';
import { Button, Input, look } from '../design/controls.tsx';
import { type ChangeList, type ListState, shownColumns } from '../grid/list-state.ts';
import type { RowSource } from '../grid/use-rows.ts';
import { useMessages } from '../messages/index.ts';
import type { VisibleCollection } from '../model/schema.ts';
import { agentPath } from '../wire/agent.ts';
import styles from './list.module.css';

const ColumnChooser = lazy(async () => ({ default: (await import('./column-chooser.tsx')).ColumnChooser }));
const FilterEditor = lazy(async () => ({ default: (await import('./filter-editor.tsx')).FilterEditor }));
const ActionMenu = lazy(async () => ({ default: (await import('../action/action-menu.tsx')).ActionMenu }));
const ExplainPanel = lazy(async () => ({ default: (await import('./explain-panel.tsx')).ExplainPanel }));
const ViewTabs = lazy(async () => ({ default: (await import('./view-tabs.tsx')).ViewTabs }));

interface ToolbarProps {
  readonly environment: string;
  readonly collection: VisibleCollection;
  readonly state: ListState;
  readonly source: RowSource;
  readonly onChange: ChangeList;
}

/** What one does to a list as a whole. */
export function Toolbar({ environment, collection, state, source, onChange }: ToolbarProps) {
  const messages = useMessages();
  const navigate = useNavigate();
  const [open, setOpen] = useState<'columns' | 'filters' | 'explain'>();
  const { name, rights, isReadOnly, isSearchable, actions } = collection;
  const close = () => setOpen(undefined);
  const create = () =>
    void navigate({ to: '/$environment/new/$collection', params: { environment, collection: name } });
  return (
    <div className={styles['tools']}>
      <h1>
        <bdi>{name}</bdi>
      </h1>
      <Tabs environment={environment} collection={collection} state={state} onChange={onChange} />
      {isSearchable && <Search key={state.search ?? ''} state={state} onChange={onChange} />}
      <Button data-key="f" onClick={() => setOpen('filters')}>
        {messages.addFilter}
      </Button>
      <Button data-key="c" onClick={() => setOpen('columns')}>
        {messages.columns}
      </Button>
      <Button look="quiet" data-key="x" onClick={() => setOpen('explain')}>
        {messages.explain}
      </Button>
      {collection.hasSoftDeletes && (
        <select
          className={look.button}
          aria-label={messages.deletedRecords}
          value={state.deleted ?? ''}
          onChange={({ target }) => onChange({ deleted: (target.value || undefined) as ListState['deleted'] })}
        >
          {Object.entries(messages.deletedChoices).map(([value, text]) => (
            <option key={value} value={value}>
              {text}
            </option>
          ))}
        </select>
      )}
      <span className={styles['space']} />
      {rights.export && (
        <a className={look.button} href={csvAddress(source, state, collection)} download={`${name}.csv`}>
          {messages.exportCsv}
        </a>
      )}
      {actions.some(({ type }) => type === 'global') && (
        <Suspense>
          <ActionMenu environment={environment} collection={collection} scope="global" />
        </Suspense>
      )}
      {rights.add && !isReadOnly && (
        <Button look="primary" data-key="n" onClick={create}>
          {messages.newRecord}
        </Button>
      )}
      <Suspense>
        {open === 'columns' && (
          <ColumnChooser collection={collection} state={state} onChange={onChange} onClose={close} />
        )}
        {open === 'filters' && (
          <FilterEditor
            environment={environment}
            collection={collection}
            state={state}
            onChange={onChange}
            onClose={close}
          />
        )}
        {open === 'explain' && <ExplainPanel source={source} onClose={close} />}
      </Suspense>
    </div>
  );
}

/** Segments and saved views stand beside each other, as the tabs that they are. */
function Tabs({ environment, collection, state, onChange }: Omit<ToolbarProps, 'source'>) {
  const messages = useMessages();
  const { segments } = collection;
  const isPlain = segments.length === 0 && state.view === undefined;
  return (
    <div className={styles['segments']}>
      {(isPlain ? [] : [undefined, ...segments]).map((segment) => (
        <Button
          key={segment ?? ''}
          look="quiet"
          aria-pressed={state.view === undefined && state.segment === segment}
          onClick={() => onChange({ segment, view: undefined })}
        >
          {segment ?? messages.allRecords}
        </Button>
      ))}
      <Suspense>
        <ViewTabs environment={environment} collection={collection} state={state} />
      </Suspense>
    </div>
  );
}

/** The search is sent when somebody presses Enter, or a moment after the last key. */
function Search({ state, onChange }: Pick<ToolbarProps, 'state' | 'onChange'>) {
  const messages = useMessages();
  const [text, setText] = useState(state.search ?? '');
  const send = (event: SubmitEvent) => {
    event.preventDefault();
    onChange({ search: text.trim() || undefined });
  };
  const isOpenQuote = (text.match(/"/g)?.length ?? 0) % 2 === 1;
  return (
    <search className={styles['search']}>
      <form onSubmit={send}>
        <Input
          data-key="/"
          type="search"
          aria-label={messages.search}
          placeholder={messages.searchHelp}
          value={text}
          maxLength={256}
          onChange={({ target }) => {
            setText(target.value);
            if (target.value === '' && state.search !== undefined) onChange({ search: undefined });
          }}
        />
        {isOpenQuote && <span className={look.small}>{messages.searchClosed}</span>}
      </form>
    </search>
  );
}

/** The export holds what the list shows: its columns, its search and its filters. */
function csvAddress({ agent, parameters, paths }: RowSource, state: ListState, collection: VisibleCollection): string {
  const columns = shownColumns(state, collection);
  const fields = columns.map(({ name }) => name).join(',');
  const related = columns.flatMap(({ name, relation }) =>
    relation ? [[`fields[${name}]`, relation.title] as const] : [],
  );
  return agentPath(agent, [`${collection.name}.csv`], {
    ...parameters,
    [`fields[${collection.name}]`]: fields || paths.join(','),
    ...Object.fromEntries(related),
    header: JSON.stringify(columns.map(({ name }) => name)),
    filename: collection.name,
  });
}
