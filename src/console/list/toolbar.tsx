import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import { Button, look, Title } from '../design/first-controls.tsx';
import { useNarrow } from '../design/use-narrow.ts';
import type { ChangeList, ListState } from '../grid/list-state.ts';
import type { RowSource } from '../grid/use-rows.ts';
import { useFirstMessages } from '../messages/index.ts';
import { usePreferences } from '../model/preferences.ts';
import { mayAdd, type VisibleCollection } from '../model/schema.ts';
import { teamViewsQuery } from '../model/team-views.ts';
import { own } from '../wire/own.ts';
import styles from './list.module.css';
import { SearchBox } from './search-box.tsx';

const ViewTabs = lazy(async () => ({ default: (await import('./view-tabs.tsx')).ViewTabs }));
const FirstView = lazy(async () => ({ default: (await import('./view-tabs.tsx')).FirstView }));
const ColumnChooser = lazy(async () => ({ default: (await import('./column-chooser.tsx')).ColumnChooser }));
const FilterEditor = lazy(async () => ({ default: (await import('./filter-editor.tsx')).FilterEditor }));
const ActionMenu = lazy(async () => ({ default: (await import('../action/action-menu.tsx')).ActionMenu }));
const ExplainPanel = lazy(async () => ({ default: (await import('./explain-panel.tsx')).ExplainPanel }));
const SortChoice = lazy(async () => ({ default: (await import('../grid/sort-choice.tsx')).SortChoice }));
const ExportDialog = lazy(async () => ({ default: (await import('./export-dialog.tsx')).ExportDialog }));

interface ToolbarProps {
  readonly environment: string;
  readonly collection: VisibleCollection;
  readonly state: ListState;
  readonly source: RowSource;
  readonly onChange: ChangeList;
}

/** What one does to a list as a whole. */
export function Toolbar({ environment, collection, state, source, onChange }: ToolbarProps) {
  const messages = useFirstMessages();
  const navigate = useNavigate();
  const [open, setOpen] = useState<'columns' | 'filters' | 'explain' | 'export'>();
  const isNarrow = useNarrow();
  const { name, rights, isSearchable, actions } = collection;
  const close = () => setOpen(undefined);
  const create = () =>
    void navigate({ to: '/$environment/new/$collection', params: { environment, collection: name } });
  return (
    <>
      <div className={styles['head']}>
        <Title>
          <bdi>{name}</bdi>
        </Title>
        <Tabs environment={environment} collection={collection} state={state} onChange={onChange} />
        {actions.some(({ type }) => type === 'global') && (
          <Suspense>
            <ActionMenu environment={environment} collection={collection} scope="global" />
          </Suspense>
        )}
        {mayAdd(collection) && (
          <Button look="primary" data-key="n" onClick={create}>
            {messages.newRecord}
          </Button>
        )}
      </div>
      <div className={styles['tools']}>
        {isSearchable && (
          <SearchBox environment={environment} collection={collection} state={state} onChange={onChange} />
        )}
        <div className={styles['buttons']}>
          <Button data-key="f" onClick={() => setOpen('filters')}>
            {messages.addFilter}
          </Button>
          {isNarrow && (
            <Suspense>
              <SortChoice collection={collection} state={state} onChange={onChange} />
            </Suspense>
          )}
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
          {rights.export && <Button onClick={() => setOpen('export')}>{messages.export}</Button>}
          {mayAdd(collection) && (
            <Link
              className={look.button}
              data-key="i"
              to="/$environment/import/$collection"
              params={{ environment, collection: name }}
            >
              {messages.screens.import}
            </Link>
          )}
        </div>
      </div>
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
        {open === 'export' && <ExportDialog source={source} state={state} collection={collection} onClose={close} />}
        {open === 'explain' && <ExplainPanel source={source} onClose={close} />}
      </Suspense>
    </>
  );
}

/** Segments and saved views stand beside each other, as the tabs that they are. */
function Tabs({ environment, collection, state, onChange }: Omit<ToolbarProps, 'source'>) {
  const messages = useFirstMessages();
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
      <Views environment={environment} collection={collection} state={state} />
    </div>
  );
}

/** The saved views, or the way to the first one: most lists have none. */
function Views(props: Pick<ToolbarProps, 'environment' | 'collection' | 'state'>) {
  const messages = useFirstMessages();
  const { name } = props.collection;
  const { views: mine } = usePreferences();
  const { data } = useQuery(teamViewsQuery(name));
  const [isOpen, setOpen] = useState(false);
  if ((own(mine, name)?.length ?? 0) + (data?.views.length ?? 0) > 0) {
    return (
      <Suspense>
        <ViewTabs {...props} />
      </Suspense>
    );
  }
  return (
    <>
      <Button look="quiet" data-key="v" onClick={() => setOpen(true)}>
        {messages.view}
      </Button>
      {isOpen && (
        <Suspense>
          <FirstView {...props} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  );
}
