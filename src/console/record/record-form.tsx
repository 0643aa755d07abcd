import { useMutation, useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { createContext, type ReactNode, Suspense, use, useState } from 'react';
import { Button, Buttons, Dialog, Failure, look, Title } from '../design/controls.tsx';
import { useFirstField } from '../design/focus.ts';
import { rowsKey } from '../grid/use-rows.ts';
import { useMessages } from '../messages/index.ts';
import { collectionQuery, type VisibleCollection, type VisibleRelation } from '../model/schema.ts';
import { titleOf } from '../values/value.tsx';
import { type AgentAddress, askAgent } from '../wire/agent.ts';
import type { RelatedRow, Row } from '../wire/records.ts';
import { FieldForm, type FieldFormProps } from './field-form.tsx';
import { type Draft, emptyDraft, withLink } from './form-state.ts';
import { OutcomeNotice, SavingNote } from './outcome-notice.tsx';
import styles from './record.module.css';
import { DraftOffer, focusFirstProblem, useDraft } from './use-draft.tsx';
import { useRecordWriter } from './write-record.ts';

/** The fields of a record, where a relation may lead to a record that is made here. This form only gets the id of it. */
export function RecordFields(props: Omit<FieldFormProps, 'onNew'>) {
  const messages = useMessages();
  const { agent, collection, row, draft, onChange } = props;
  const [relation, setRelation] = useState<VisibleRelation>();
  const [created, setCreated] = useState<readonly string[]>([]);
  return (
    <>
      <FieldForm {...props} onNew={setRelation} />
      {created.map((sentence) => (
        <p key={sentence} role="status">
          {sentence}
        </p>
      ))}
      {relation && (
        <NewRecordDialog
          agent={agent}
          collection={relation.collection}
          from={[collection.name, row?.id ?? '', relation.name]}
          onCreated={(record) => {
            setRelation(undefined);
            onChange(withLink(draft, relation.name, record));
            setCreated([...created, messages.createdStays(titleOf(record, relation.title), record.collection)]);
          }}
          onClose={() => setRelation(undefined)}
        />
      )}
    </>
  );
}

interface NewRecordDialogProps {
  readonly agent: AgentAddress;
  readonly collection: string;
  /** The form or the list that the record is made for: its collection, its record and the relation. */
  readonly from: readonly string[];
  /** What the record is linked to from the beginning. */
  readonly links?: Draft['links'];
  readonly onCreated: (record: RelatedRow) => void;
  readonly onClose: () => void;
}

/** The forms that a form stands over, outermost first. Two forms for one collection keep drafts of their own. */
const PlaceOfForm = createContext<readonly string[]>([]);

/** A form of its own for a record that another form or list is about to lead to. */
function NewRecordDialog({ agent, collection, from, links = {}, onCreated, onClose }: NewRecordDialogProps) {
  const messages = useMessages();
  const [first] = useState<Draft>({ ...emptyDraft, links });
  const place = [...use(PlaceOfForm), ...from];
  const drafting = useDraft(agent.environment, collection, place, first);
  const isUnsaved = drafting.draft !== first;
  const mayLeave = () => !isUnsaved || confirm(messages.leaveNested);
  return (
    <Dialog
      title={messages.newTitle(collection)}
      isAtSide
      isUnsaved={isUnsaved}
      question={messages.leaveNested}
      onClose={onClose}
    >
      <DraftOffer drafting={drafting} />
      <PlaceOfForm value={place}>
        <Suspense fallback={<p className={look.small}>{messages.loading}</p>}>
          <NewRecordForm
            agent={agent}
            collection={collection}
            draft={drafting.draft}
            onChange={drafting.change}
            onCreated={(record) => {
              drafting.drop();
              onCreated(record);
            }}
            buttons={<Button onClick={() => mayLeave() && onClose()}>{messages.cancel}</Button>}
          />
        </Suspense>
      </PlaceOfForm>
    </Dialog>
  );
}

interface NewRecordFormProps {
  readonly agent: AgentAddress;
  readonly collection: string;
  readonly draft: Draft;
  readonly onChange: (draft: Draft) => void;
  readonly onCreated: (record: RelatedRow) => void;
  /** What stands beside "Save". */
  readonly buttons: ReactNode;
}

function NewRecordForm({ agent, collection: name, draft, onChange, onCreated, buttons }: NewRecordFormProps) {
  const messages = useMessages();
  const { data: collection } = useSuspenseQuery(collectionQuery(agent, name));
  const writer = useRecordWriter({ agent, collection }, (record) => onCreated({ ...record, collection: name }));
  const form = useFirstField();
  return (
    <form
      ref={form}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        // React tells it to the form that opened this one, too.
        event.stopPropagation();
        void writer.save(draft).then(focusFirstProblem);
      }}
    >
      <OutcomeNotice writer={writer} collection={collection} draft={draft} />
      <RecordFields
        agent={agent}
        collection={collection}
        draft={draft}
        problems={writer.problemsOf(draft)}
        onChange={onChange}
      />
      <div className={styles['bar']}>
        <Button look="primary" type="submit" disabled={writer.isSaving || writer.unknown !== undefined}>
          {messages.save}
        </Button>
        <SavingNote isSaving={writer.isSaving} />
        {buttons}
      </div>
    </form>
  );
}

/** The screen of a record that is not there yet. */
export function NewRecordScreen() {
  const messages = useMessages();
  const { environment, collection: name } = useParams({ from: '/$environment/new/$collection' });
  const navigate = useNavigate();
  const drafting = useDraft(environment, name, null);
  return (
    <>
      <div className={styles['head']}>
        <Title>
          {messages.newRecord}: <bdi>{name}</bdi>
        </Title>
      </div>
      <DraftOffer drafting={drafting} />
      <NewRecordForm
        key={name}
        agent={{ environment }}
        collection={name}
        draft={drafting.draft}
        onChange={drafting.change}
        onCreated={({ id }) => {
          drafting.drop();
          void navigate({ to: '/$environment/data/$collection/$id', params: { environment, collection: name, id } });
        }}
        buttons={<Button onClick={drafting.drop}>{messages.discard}</Button>}
      />
    </>
  );
}

interface NewRelatedProps {
  readonly agent: AgentAddress;
  readonly collection: VisibleCollection;
  readonly row: Row;
  readonly relation: VisibleRelation;
  readonly onClose: () => void;
}

/** Makes a record that a list of a record leads to. Where there is a relation back, the form has it filled in; else the link is made after it. */
export function NewRelated({ agent, collection, row, relation, onClose }: NewRelatedProps) {
  const messages = useMessages();
  const client = useQueryClient();
  const back = relation.kind === 'OneToMany' ? relation.inverse : null;
  const link = useMutation({
    mutationFn: async ({ collection: type, id }: RelatedRow) => {
      if (back === null) {
        const body = { data: [{ type, id }] };
        const path = [collection.name, row.id, 'relationships', relation.name];
        await askAgent(agent, path, {}, { method: 'POST', body });
      }
      await client.invalidateQueries({ queryKey: rowsKey({ agent, collection: type }) });
    },
    onSuccess: onClose,
  });
  if (link.error) {
    return (
      <Dialog title={messages.newTitle(relation.collection)} onClose={onClose}>
        <p>{link.variables && messages.createdUnlinked(titleOf(link.variables, relation.title))}</p>
        <Failure error={link.error} />
        <Buttons>
          <Button onClick={onClose}>{messages.close}</Button>
        </Buttons>
      </Dialog>
    );
  }
  if (!link.isIdle) return null;
  return (
    <NewRecordDialog
      agent={agent}
      collection={relation.collection}
      from={[collection.name, row.id, relation.name]}
      links={back === null ? {} : { [back]: { id: row.id, collection: collection.name, values: row.values } }}
      onCreated={(record) => link.mutate(record)}
      onClose={onClose}
    />
  );
}
