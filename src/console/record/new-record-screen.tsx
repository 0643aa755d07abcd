import { useSuspenseQuery } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { Button, Failure, Notice } from '../design/controls.tsx';
import { useMessages } from '../messages/index.ts';
import { collectionQuery } from '../model/schema.ts';
import { FieldForm } from './field-form.tsx';
import styles from './record.module.css';
import { focusFirstProblem, useDraft } from './use-draft.ts';
import { useRecordWriter } from './write-record.ts';

/** A form for a record that is not there yet. */
export function NewRecordScreen() {
  const messages = useMessages();
  const { environment, collection: name } = useParams({ from: '/$environment/new/$collection' });
  const agent = { environment };
  const { data: collection } = useSuspenseQuery(collectionQuery(agent, name));
  const navigate = useNavigate();
  const { draft, change, drop } = useDraft(environment, name, null);
  const writer = useRecordWriter({ agent, collection }, (id) => {
    drop();
    void navigate({ to: '/$environment/data/$collection/$id', params: { environment, collection: name, id } });
  });
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        void writer.save(draft).then(focusFirstProblem);
      }}
    >
      <div className={styles['head']}>
        <h1>
          {messages.newRecord}: <bdi>{name}</bdi>
        </h1>
      </div>
      {writer.error && <Failure error={writer.error} />}
      {writer.isUnknown && <Notice kind="warning" title={messages.saveUnknown} />}
      <FieldForm agent={agent} collection={collection} draft={draft} problems={writer.problems} onChange={change} />
      <div className={styles['bar']}>
        <Button look="primary" type="submit" disabled={writer.isSaving}>
          {messages.save}
        </Button>
        <Button onClick={drop}>{messages.discard}</Button>
      </div>
    </form>
  );
}
