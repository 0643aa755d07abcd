import { useMutation, useQuery, useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import type { Approval } from '#contracts/approvals';
import { type ActionResult, ResultView, readResult } from '../action/action-result.tsx';
import { Button, Buttons, Dialog, Empty, Failure, look, Title } from '../design/controls.tsx';
import { useOnce } from '../design/use-stable.ts';
import { filtersOfIds } from '../grid/filter-tree.ts';
import { useMessages } from '../messages/index.ts';
import { answerApproval, approvalContentQuery, useSeenAnswers } from '../model/approvals.ts';
import { approvalsQuery } from '../model/known-approvals.ts';
import { collectionQuery } from '../model/schema.ts';
import { timeText } from '../values/time-text.ts';
import { askAgentForBytes } from '../wire/agent.ts';
import { impersonationId } from '../wire/session.ts';
import styles from './approval.module.css';
import { ApprovalContentView } from './approval-content.tsx';

/** One request: what it is about, what people say, and the answer. */
export function ApprovalScreen() {
  const messages = useMessages();
  const { environment, approval: id } = useParams({ from: '/$environment/approvals/$approval' });
  const { data: approvals } = useSuspenseQuery(approvalsQuery({ environment }));
  const approval = approvals.find((each) => String(each.id) === id);
  if (!approval) return <Empty title={messages.approvalMissing} why={messages.approvalMissingWhy} />;
  return <ApprovalView key={approval.id} environment={environment} approval={approval} />;
}

interface ApprovalProps {
  readonly environment: string;
  readonly approval: Approval;
}

type Act = 'grant' | 'refuse' | 'comments' | 'withdraw';

function ApprovalView({ environment, approval }: ApprovalProps) {
  const messages = useMessages();
  const [act, setAct] = useState<Act>();
  const [result, setResult] = useState<ActionResult>();
  const content = useQuery(approvalContentQuery({ environment }, approval.id));
  const { isOwn, state } = approval;
  const isOnlySeen = impersonationId() !== undefined;
  const mayDecide = approval.mayDecide && !isOnlySeen;
  useSeenAnswers([approval]);
  return (
    <>
      <Title>
        <bdi>{approval.action}</bdi>
      </Title>
      <Facts approval={approval} ids={content.data?.records.map(({ id }) => id) ?? []} />
      {content.isLoading && <p className={look.late}>{messages.loading}</p>}
      {content.error && <Failure error={content.error} />}
      {content.data && <ApprovalContentView agent={{ environment }} content={content.data} />}
      <Comments approval={approval} />
      <Buttons>
        {!isOnlySeen && <Button onClick={() => setAct('comments')}>{messages.approvalActs.comments}</Button>}
        {isOwn && state === 'asked' && !isOnlySeen && (
          <Button onClick={() => setAct('withdraw')}>{messages.approvalActs.withdraw}</Button>
        )}
        {mayDecide && (
          <>
            <Button look="danger" data-key="d" onClick={() => setAct('refuse')}>
              {messages.approvalActs.refuse}
            </Button>
            <Button
              look="primary"
              data-key="a"
              disabled={!content.data || content.data.problem !== null}
              onClick={() => setAct('grant')}
            >
              {messages.approvalActs.grant}
            </Button>
          </>
        )}
      </Buttons>
      {act && (
        <AnswerDialog
          environment={environment}
          approval={approval}
          act={act}
          onResult={setResult}
          onClose={() => setAct(undefined)}
        />
      )}
      {result && (
        <Dialog title={approval.action} onClose={() => setResult(undefined)}>
          <ResultView agent={{ environment }} result={result} onClose={() => setResult(undefined)} />
        </Dialog>
      )}
    </>
  );
}

function Facts({ approval, ids }: Pick<ApprovalProps, 'approval'> & { readonly ids: readonly string[] }) {
  const messages = useMessages();
  const { environment, person, client, records, collection, state, outcome, decidedBy, decidedAt, askedAt, lapsesAt } =
    approval;
  const { data: schema } = useQuery(collectionQuery({ environment }, collection));
  // The list of these records, once they are known, and not of all.
  const filters = schema && ids.length > 0 ? filtersOfIds(schema, ids) : undefined;
  const ended = state === 'granted' ? ` · ${messages.approvalOutcomes[outcome ?? 'unknown']}` : '';
  const facts: readonly (readonly [string, string])[] = [
    [messages.approvalBy, `${person.name} · ${person.email}${client === null ? '' : ` · ${client}`}`],
    [messages.approvalState, `${messages.approvalStates[state]}${ended}`],
    [messages.approvalAt, timeText(askedAt)],
    state === 'asked'
      ? [messages.approvalLapses, timeText(lapsesAt)]
      : [messages.approvalAnswered, [decidedBy?.name, decidedAt && timeText(decidedAt)].filter(Boolean).join(' · ')],
  ];
  return (
    <dl className={styles['facts']}>
      {facts.map(([name, value]) => (
        <Fact key={name} name={name} value={value} />
      ))}
      <dt className={look.small}>{messages.approvalOn}</dt>
      <dd>
        <Link
          to="/$environment/data/$collection"
          params={{ environment, collection }}
          search={filters === undefined ? {} : { filters }}
        >
          <bdi>{messages.approvalRecords(String(records), collection)}</bdi>
        </Link>
      </dd>
    </dl>
  );
}

function Fact({ name, value }: { readonly name: string; readonly value: string }) {
  return (
    <>
      <dt className={look.small}>{name}</dt>
      <dd>
        <bdi>{value}</bdi>
      </dd>
    </>
  );
}

function Comments({ approval: { comments } }: Pick<ApprovalProps, 'approval'>) {
  const messages = useMessages();
  if (comments.length === 0) return null;
  return (
    <section aria-label={messages.approvalComments}>
      <h2>{messages.approvalComments}</h2>
      <ul className={styles['comments']}>
        {comments.map(({ person, text, at }) => (
          <li key={`${at} ${person.id} ${text}`}>
            <span className={look.small}>
              {person.name} · <time>{timeText(at)}</time>
            </span>
            <br />
            <bdi>{text}</bdi>
          </li>
        ))}
      </ul>
    </section>
  );
}

interface AnswerDialogProps extends ApprovalProps {
  readonly act: Act;
  readonly onResult: (result: ActionResult) => void;
  readonly onClose: () => void;
}

/** What somebody says with an answer, and the answer itself. */
function AnswerDialog({ environment, approval, act, onResult, onClose }: AnswerDialogProps) {
  const messages = useMessages();
  const client = useQueryClient();
  const [comment, setComment] = useState('');
  const answering = useMutation({
    mutationFn: async () => {
      if (act !== 'grant') {
        await answerApproval({ environment }, approval.id, act, comment);
        return;
      }
      const body = comment.trim() === '' ? {} : { comment };
      const path = ['_internal', 'approvals', String(approval.id), 'grant'];
      onResult(await readResult(await askAgentForBytes({ environment }, path, {}, { method: 'POST', body })));
    },
    onSuccess: onClose,
    // Whatever the answer is, somebody else may have been first.
    onSettled: () => client.invalidateQueries({ queryKey: ['approvals', environment] }),
  });
  const answerOnce = useOnce(() => answering.mutateAsync());
  const label = messages.approvalActs[act];
  return (
    <Dialog title={label} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (!answering.isPending) answerOnce();
        }}
      >
        {act === 'grant' && <p>{messages.approvalGrantWhy(approval.person.name)}</p>}
        {answering.error && <Failure error={answering.error} />}
        {act !== 'withdraw' && (
          <textarea
            className={`${look.input} ${look.wide}`}
            aria-label={messages.approvalSay}
            placeholder={messages.approvalSay}
            rows={3}
            maxLength={2000}
            required={act === 'comments'}
            value={comment}
            onChange={({ target }) => setComment(target.value)}
          />
        )}
        <Buttons>
          <Button onClick={onClose}>{messages.cancel}</Button>
          <Button look={act === 'refuse' ? 'danger' : 'primary'} type="submit" disabled={answering.isPending}>
            {label}
          </Button>
        </Buttons>
      </form>
    </Dialog>
  );
}
