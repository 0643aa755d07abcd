import { useMutation, useQuery, useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { ActionMenu } from '../action/action-menu.tsx';
import { RecordCharts } from '../chart/record-charts.tsx';
import { Button, Failure, look, Notice, Title } from '../design/controls.tsx';
import { useFirstField, useFocusBack } from '../design/focus.ts';
import { toast } from '../design/toasts.tsx';
import { useMessages } from '../messages/index.ts';
import { useWaitingApprovals } from '../model/approvals.ts';
import { neighbour, searchOfLast } from '../model/last-list.ts';
import { mayReadLog, meQuery } from '../model/me.ts';
import {
  collectionQuery,
  columnsOf,
  isToMany,
  projectionOf,
  type VisibleCollection,
  type VisibleField,
} from '../model/schema.ts';
import { useScreenRequest } from '../model/screen-requests.ts';
import { NotesPanel } from '../notes/notes-panel.tsx';
import { OwnRights } from '../rights/own-rights.tsx';
import { DetailValue } from '../values/detail-value.tsx';
import { titleOf, Value } from '../values/value.tsx';
import { type AgentAddress, askAgent } from '../wire/agent.ts';
import { RequestFailed } from '../wire/http.ts';
import { own } from '../wire/own.ts';
import { noId, projection, type Row } from '../wire/records.ts';
import { ConflictDialog } from './conflict-dialog.tsx';
import { DeleteDialog } from './delete-dialog.tsx';
import { draftSince, isEmptyDraft, sizeOfDraft, withWritten } from './form-state.ts';
import { HistoryPanel } from './history-panel.tsx';
import { OutcomeNotice, SavingNote } from './outcome-notice.tsx';
import styles from './record.module.css';
import { RecordFields } from './record-form.tsx';
import { recordQuery } from './record-query.ts';
import { RelatedList } from './related-list.tsx';
import { type DraftInUse, DraftOffer, focusFirstProblem, useDraft } from './use-draft.tsx';
import { useRecordWriter, type WrittenRecord } from './write-record.ts';

/** One record: its values, what it leads to, and a form to change it. */
export function RecordScreen() {
  const messages = useMessages();
  const { environment, collection: name, id } = useParams({ from: '/$environment/data/$collection/$id' });
  const { data: collection } = useSuspenseQuery(collectionQuery({ environment }, name));
  const { data: row, error, refetch } = useQuery(recordQuery({ environment }, collection, id));
  if (error && !row) {
    const isGone = error instanceof RequestFailed && error.status === 404;
    return (
      <>
        <Title>
          <Link
            to="/$environment/data/$collection"
            params={{ environment, collection: name }}
            search={searchOfLast(name)}
          >
            <bdi>{name}</bdi>
          </Link>{' '}
          <bdi>{id}</bdi>
        </Title>
        <Failure error={error} {...(isGone ? {} : { onRetry: () => void refetch() })} />
        {isGone && collection.rights.read && <HistoryPanel agent={{ environment }} collection={collection} id={id} />}
      </>
    );
  }
  if (!row) return <p className={look.small}>{messages.loading}</p>;
  return (
    <>
      {/* Somebody may have deleted it, or taken a right away, since it was read. A form stays with what was typed. */}
      {error instanceof RequestFailed && error.status !== 0 && <Failure error={error} />}
      <RecordView key={`${environment} ${name} ${id}`} agent={{ environment }} collection={collection} row={row} />
    </>
  );
}

interface RecordViewProps {
  readonly agent: AgentAddress;
  readonly collection: VisibleCollection;
  readonly row: Row;
}

function RecordView({ agent, collection, row }: RecordViewProps) {
  const messages = useMessages();
  const { environment } = agent;
  const { name, rights, isReadOnly } = collection;
  const navigate = useNavigate();
  const client = useQueryClient();
  const [isEditing, setEditing] = useState(false);
  const [isDeleting, setDeleting] = useState(false);
  const drafting = useDraft(environment, name, row.id);
  const mayEdit = rights.edit && !isReadOnly;
  const editButton = useFocusBack(isEditing);
  const list = {
    to: '/$environment/data/$collection',
    params: { environment, collection: name },
    search: searchOfLast(name),
  } as const;
  const leave = () => void navigate(list);
  useScreenRequest({
    label: `${name} ${row.id}`,
    agent,
    path: [name, row.id],
    headers: projection(projectionOf(collection, columnsOf(collection))),
    tool: { name: 'getRecord', arguments: { collectionName: name, recordId: row.id } },
  });
  const refresh = () => void client.invalidateQueries({ queryKey: ['record', environment, name] });
  return (
    <>
      <div className={styles['head']}>
        <Title>
          <Link {...list}>
            <bdi>{name}</bdi>
          </Link>{' '}
          <bdi>{titleOf(row, collection.title)}</bdi>
        </Title>
        <Neighbour environment={environment} collection={name} id={row.id} step={-1} />
        <Neighbour environment={environment} collection={name} id={row.id} step={1} />
        <ActionMenu
          environment={environment}
          collection={collection}
          scope="single"
          target={{ selection: { kind: 'these', ids: new Set([row.id]) }, query: {}, size: 1 }}
          onDone={refresh}
        />
        <HistoryLink environment={environment} collection={name} id={row.id} />
        <OwnRights environment={environment} collection={collection} />
        {mayEdit && !isEditing && (
          <Button ref={editButton} look="primary" data-key="e" onClick={() => setEditing(true)}>
            {messages.edit}
          </Button>
        )}
        {/* A button that moves under the finger of whoever has just pressed "Edit" would be pressed too. */}
        {rights.delete && !isReadOnly && !isEditing && (
          <Button look="danger" onClick={() => setDeleting(true)}>
            {messages.delete}
          </Button>
        )}
      </div>
      {collection.hasSoftDeletes && rights.delete && <Restore agent={agent} collection={collection} id={row.id} />}
      <WaitingApprovals agent={agent} collection={name} id={row.id} />
      {mayEdit && <DraftOffer drafting={drafting} onTake={() => setEditing(true)} />}
      <div className={styles['screen']}>
        {isEditing ? (
          <EditForm
            agent={agent}
            collection={collection}
            row={row}
            drafting={drafting}
            onEnd={() => setEditing(false)}
          />
        ) : (
          <Details environment={environment} collection={collection} row={row} />
        )}
        <RecordCharts agent={agent} collection={collection} id={row.id} />
      </div>
      {collection.relations.filter(isToMany).map((relation) => (
        <RelatedList key={relation.name} agent={agent} collection={collection} row={row} relation={relation} />
      ))}
      {rights.read && <NotesPanel record={{ agent, collection: name, id: row.id }} />}
      <HistoryPanel agent={agent} collection={collection} id={row.id} row={row} />
      {isDeleting && (
        <DeleteDialog
          agent={agent}
          collection={collection}
          target={{ selection: { kind: 'these', ids: new Set([row.id]) }, query: {}, size: 1 }}
          title={titleOf(row, collection.title)}
          onDone={() => {
            drafting.drop();
            leave();
          }}
          onClose={() => setDeleting(false)}
        />
      )}
    </>
  );
}

/** The requests about the record that wait for an approval, for those who know of them. */
function WaitingApprovals({ agent, collection, id }: { agent: AgentAddress; collection: string; id: string }) {
  const messages = useMessages();
  const { approvals, unknown } = useWaitingApprovals(agent, collection, id);
  if (approvals.length + unknown === 0) return null;
  return (
    <Notice kind="success" title={approvals.length > 0 ? messages.recordWaits(approvals.length) : messages.approvals}>
      {approvals.map((approval) => (
        <Link
          key={approval.id}
          to="/$environment/approvals/$approval"
          params={{ ...agent, approval: String(approval.id) }}
        >
          <bdi>{messages.approvalOpen(approval.action, approval.person.name)}</bdi>
        </Link>
      ))}
      {unknown > 0 && (
        <Link to="/$environment/approvals" params={{ ...agent }}>
          {messages.recordWaitsMore(unknown, collection)}
        </Link>
      )}
    </Notice>
  );
}

/** Leads to the record before or after this one in the list that the person came from. */
function Neighbour({
  environment,
  collection,
  id,
  step,
}: {
  environment: string;
  collection: string;
  id: string;
  step: -1 | 1;
}) {
  const messages = useMessages();
  const next = neighbour(collection, id, step);
  if (next === undefined) return null;
  return (
    <Link
      to="/$environment/data/$collection/$id"
      params={{ environment, collection, id: next }}
      className={look.button}
      data-key={step < 0 ? '[' : ']'}
      aria-label={step < 0 ? messages.previousRecord : messages.nextRecord}
    >
      {step < 0 ? '‹' : '›'}
    </Link>
  );
}

/** Leads to what people did to the record, for those who may read the log. */
function HistoryLink({ environment, collection, id }: { environment: string; collection: string; id: string }) {
  const { auditLog } = useMessages();
  const { data: person } = useQuery(meQuery);
  if (!person || !mayReadLog(person)) return null;
  return (
    <Link
      to="/$environment/log/$kind/{-$row}"
      params={{ environment, kind: 'activity' }}
      search={{ collectionName: collection, recordId: id }}
      className={look.button}
    >
      {auditLog.history}
    </Link>
  );
}

/** Says that a record is deleted, and brings it back. The record is deleted if it is found among the deleted ones only. */
function Restore({ agent, collection, id }: { agent: AgentAddress; collection: VisibleCollection; id: string }) {
  const messages = useMessages();
  const client = useQueryClient();
  const key = ['record', agent.environment, collection.name, id, 'deleted'];
  const isDeleted = useQuery({
    queryKey: key,
    queryFn: async ({ signal }) => {
      try {
        await askAgent(agent, [collection.name, id], { deleted: 'only' }, { signal });
        return true;
      } catch (error) {
        if (error instanceof RequestFailed && error.status === 404) return false;
        throw error;
      }
    },
  });
  const restoring = useMutation({
    mutationFn: () => askAgent(agent, [collection.name, id, 'restore'], {}, { method: 'POST' }),
    onSuccess: async () => {
      toast(messages.restored);
      await client.invalidateQueries({ queryKey: ['record', agent.environment, collection.name] });
      await client.invalidateQueries({ queryKey: ['rows', agent.environment, collection.name] });
    },
  });
  if (!isDeleted.data) return null;
  return (
    <Notice kind="warning" title={messages.deletedRecord}>
      {restoring.error && <p>{restoring.error.message}</p>}
      <div>
        <Button onClick={() => restoring.mutate()}>{messages.restore}</Button>
      </div>
    </Notice>
  );
}

function DetailOf({ value, field }: { readonly value: unknown; readonly field: VisibleField | undefined }) {
  return field ? <DetailValue value={value} field={field} /> : <Value value={value} type="String" />;
}

/** The values of a record, each as its type is read best. */
function Details({ environment, collection, row }: { environment: string; collection: VisibleCollection; row: Row }) {
  return (
    <dl className={styles['details']}>
      {columnsOf(collection).flatMap(({ name, field, relation }) => {
        const related = relation && own(row.related, name);
        return [
          <dt key={`${name} name`}>
            <bdi>{name}</bdi>
          </dt>,
          <dd key={name}>
            {related?.id === noId && relation ? (
              <bdi>{titleOf(related, relation.title)}</bdi>
            ) : related && relation ? (
              <Link
                to="/$environment/data/$collection/$id"
                params={{ environment, collection: relation.collection, id: related.id }}
              >
                <bdi>{titleOf(related, relation.title)}</bdi>
              </Link>
            ) : (
              <DetailOf value={own(row.values, name) ?? null} field={field} />
            )}
          </dd>,
        ];
      })}
    </dl>
  );
}

interface EditFormProps extends RecordViewProps {
  readonly drafting: DraftInUse;
  readonly onEnd: () => void;
}

/** The form of a record. What is typed survives a crash, and leaving asks first. */
function EditForm({ agent, collection, row, drafting, onEnd }: EditFormProps) {
  const messages = useMessages();
  const client = useQueryClient();
  const [seen, setSeen] = useState(row);
  const { draft, change, drop } = drafting;
  const [isConflictShown, setConflictShown] = useState(true);
  const end = () => {
    drop();
    onEnd();
  };
  /** What was typed while the answer was on its way stays in the form. */
  const endOrGoOn = ({ values }: WrittenRecord, sent = draft) => {
    const rest = draftSince(sent, draft);
    if (isEmptyDraft(rest)) return end();
    setSeen(withWritten(seen, values, sent.links));
    change(rest);
  };
  const writer = useRecordWriter({ agent, collection, row: seen }, endOrGoOn);
  const form = useFirstField();
  const changed = sizeOfDraft(draft);
  const reread = async () => {
    writer.forget();
    const fresh = await client.fetchQuery({ ...recordQuery(agent, collection, row.id), staleTime: 0 });
    setSeen(fresh);
  };
  return (
    <form
      ref={form}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        setConflictShown(true);
        void writer.save(draft).then(focusFirstProblem);
      }}
    >
      <OutcomeNotice writer={writer} collection={collection} draft={draft} />
      <RecordFields
        agent={agent}
        collection={collection}
        row={seen}
        draft={draft}
        problems={writer.problemsOf(draft)}
        onChange={change}
      />
      <div className={styles['bar']}>
        <span>{messages.changedFields(changed)}</span>
        <SavingNote isSaving={writer.isSaving} />
        <Button
          look="primary"
          type="submit"
          disabled={writer.isSaving || writer.unknown !== undefined || changed === 0}
        >
          {messages.save}
        </Button>
        <Button onClick={end}>{messages.discard}</Button>
      </div>
      {writer.conflict && isConflictShown && (
        <ConflictDialog
          collection={collection}
          conflict={writer.conflict}
          draft={draft}
          onSettle={(kept) => {
            change(kept);
            setConflictShown(false);
            void reread();
          }}
          onClose={() => setConflictShown(false)}
        />
      )}
    </form>
  );
}
