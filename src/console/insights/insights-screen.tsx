import { useMutation, useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import type { Insights, MeasuredQuery, MissingIndex } from '#contracts/insights';
import { Button, Empty, Failure, look, Table, Title } from '../design/controls.tsx';
import { toast } from '../design/toasts.tsx';
import { type Messages, useMessages } from '../messages/index.ts';
import { insightsQuery, unneededDays, unneededRightsQuery } from '../model/insights.ts';
import { mayReadProject, mayReadRights, meQuery } from '../model/me.ts';
import { timeText } from '../values/time-text.ts';
import styles from './insights.module.css';

/** Queries that a table shows. */
const mostQueries = 20;

/** The sentences of this room, which come with its screen. */
function useTexts(): Awaited<ReturnType<Messages['insightsTexts']>> {
  const { code, insightsTexts } = useMessages();
  return useSuspenseQuery({
    queryKey: ['texts of insights', code],
    queryFn: insightsTexts,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: Number.POSITIVE_INFINITY,
  }).data;
}

/** What is slow, what would help, and what nobody uses. */
export function InsightsScreen() {
  const texts = useTexts();
  const { data: person } = useSuspenseQuery(meQuery);
  if (!mayReadProject(person)) return <Empty title={texts.mayNot} why={texts.mayNotWhy} />;
  return <InsightsOfEnvironment />;
}

function InsightsOfEnvironment() {
  const messages = useMessages();
  const texts = useTexts();
  const numberText = useNumberText();
  const { environment } = useParams({ from: '/$environment/insights' });
  const { data: insights, error, refetch } = useQuery(insightsQuery({ environment }));
  return (
    <>
      <Title>{messages.insights}</Title>
      {error && <Failure error={error} onRetry={() => void refetch()} />}
      {!insights && !error && <p className={look.late}>{messages.loading}</p>}
      {insights && (
        <p className={look.small}>
          {texts.counted(numberText(insights.calls), timeText(insights.since), insights.host)}
        </p>
      )}
      {insights && <Workers insights={insights} />}
      {insights && <Noticed insights={insights} />}
      <UnneededRights environment={environment} />
    </>
  );
}

/** Whose counts these are, where a host has several workers. */
function Workers({ insights: { workers, since } }: { readonly insights: Insights }) {
  const texts = useTexts();
  if (!workers || workers.count < 2) return null;
  const { count, answered, allSince } = workers;
  return (
    <p className={look.small}>
      {texts.workers(count, answered)}
      {allSince !== since && ` ${texts.laterWorker(timeText(allSince))}`}
    </p>
  );
}

function Noticed({ insights }: { readonly insights: Insights }) {
  const texts = useTexts();
  const numberText = useNumberText();
  const { queries, indexes, slowerThanMs, otherCalls } = insights;
  const wasteful = queries.filter(({ readsMuch }) => readsMuch);
  return (
    <>
      <Part title={texts.slow} why={texts.slowWhy(numberText(slowerThanMs))}>
        {queries.length === 0 && <Empty title={texts.nothing} why={texts.nothingWhy} />}
        <Queries title={texts.slow} queries={queries} />
        {otherCalls > 0 && <p className={look.small}>{texts.other(numberText(otherCalls))}</p>}
      </Part>
      <Part title={texts.wasteful}>
        {wasteful.length === 0 && <p className={look.small}>{texts.noWasteful}</p>}
        <Queries title={texts.wasteful} queries={wasteful} />
      </Part>
      <Part title={texts.indexes} why={indexes.length > 0 ? texts.indexesWhy : undefined}>
        {indexes.length === 0 && <p className={look.small}>{texts.noIndexes}</p>}
        {indexes.map((index) => (
          <Index key={index.statement} index={index} />
        ))}
        <Unadvised unadvised={insights.unadvised} />
      </Part>
      <Unused unused={insights.unused} since={insights.workers?.allSince ?? insights.since} />
    </>
  );
}

interface PartProps {
  readonly title: string;
  readonly why?: string | undefined;
  readonly children: ReactNode;
}

function Part({ title, why, children }: PartProps) {
  return (
    <section aria-label={title} className={look.form}>
      <h2>{title}</h2>
      {why !== undefined && <p className={look.small}>{why}</p>}
      {children}
    </section>
  );
}

function Queries({ title, queries }: { readonly title: string; readonly queries: readonly MeasuredQuery[] }) {
  const texts = useTexts();
  const numberText = useNumberText();
  const [isWhole, setWhole] = useState(false);
  if (queries.length === 0) return null;
  const { query, ...numbers } = texts.columns;
  const more = isWhole ? 0 : queries.length - mostQueries;
  return (
    <>
      <Table titles={[query, ...Object.values(numbers)]} label={`${title}: ${query}`} hasNumbers>
        {(more > 0 ? queries.slice(0, mostQueries) : queries).map((each) => (
          <QueryRow key={each.id} query={each} />
        ))}
      </Table>
      {more > 0 && (
        <div>
          <Button onClick={() => setWhole(true)}>{texts.more(numberText(more))}</Button>
        </div>
      )}
    </>
  );
}

function QueryRow({ query }: { readonly query: MeasuredQuery }) {
  const texts = useTexts();
  const numberText = useNumberText();
  const { id, calls, medianMs, p95Ms, totalMs, read, shown, isSlow, failed } = query;
  const inMs = (ms: number) => texts.ms(numberText(ms));
  const cells = [numberText(calls), inMs(medianMs), inMs(p95Ms), inMs(totalMs), numberText(read), numberText(shown)];
  return (
    <tr>
      <th scope="row" className={styles['query']}>
        <bdi>{id}</bdi>
        {isSlow && <div className={styles['slow']}>{texts.isSlow}</div>}
        {failed > 0 && <div className={styles['slow']}>{texts.failed(numberText(failed))}</div>}
      </th>
      {cells.map((cell, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the columns never change
        <td key={index}>{cell}</td>
      ))}
    </tr>
  );
}

/** The statement stands by itself, so that it can be copied. */
function Index({
  index: { statement, columns, collection, queries, estimate, note, plan },
}: {
  readonly index: MissingIndex;
}) {
  const messages = useMessages();
  const texts = useTexts();
  const numberText = useNumberText();
  const copying = useMutation({
    mutationFn: () => navigator.clipboard.writeText(statement),
    onSuccess: () => toast(messages.copied),
  });
  return (
    <div className={look.form}>
      <pre className={styles['statement']}>{statement}</pre>
      <div>
        <Button aria-label={texts.copyOf(`${collection}: ${columns.join(', ')}`)} onClick={() => copying.mutate()}>
          {messages.copy}
        </Button>
      </div>
      {copying.error && <Failure error={copying.error} />}
      {estimate && <p>{texts.estimate(numberText(estimate.costThen), numberText(estimate.costNow))}</p>}
      {note !== null && <p className={look.small}>{note}</p>}
      <Names title={texts.serves} names={queries} />
      <details>
        <summary>{texts.plan}</summary>
        <pre className={styles['statement']}>{plan.join('\n')}</pre>
      </details>
    </div>
  );
}

/** Why the other slow queries have no advice. */
function Unadvised({ unadvised = [] }: Pick<Insights, 'unadvised'>) {
  const texts = useTexts();
  return [...Map.groupBy(unadvised, ({ reason }) => reason)].map(([reason, of]) => (
    <Names key={reason} title={texts.unadvised[reason]} names={of.map(({ query }) => query)} />
  ));
}

function Unused({ unused: { collections, fields, customizations }, since }: Pick<Insights, 'unused' | 'since'>) {
  const texts = useTexts();
  const isEmpty = collections.length + fields.length + customizations.length === 0;
  const named = (wanted: (typeof customizations)[number]['kind']) =>
    customizations
      .filter(({ kind }) => kind === wanted)
      .map(({ collection, name }) => (collection === null ? name : `${collection}: ${name}`));
  return (
    <Part title={texts.unused} why={isEmpty ? undefined : texts.unusedWhy(timeText(since))}>
      {isEmpty && <p className={look.small}>{texts.noUnused}</p>}
      <Names title={texts.collections} names={collections} />
      {[...Map.groupBy(fields, ({ collection }) => collection)].map(([collection, of]) => (
        <Names key={collection} title={texts.fieldsOf(collection)} names={of.map(({ name }) => name)} />
      ))}
      <Names title={texts.segments} names={named('segment')} />
      <Names title={texts.actions} names={named('action')} />
      <Names title={texts.charts} names={named('chart')} />
    </Part>
  );
}

function Names({ title, names }: { readonly title: string; readonly names: readonly string[] }) {
  if (names.length === 0) return null;
  return (
    <div>
      <strong>{title}</strong>
      <p className={styles['query']}>
        <bdi>{names.join(', ')}</bdi>
      </p>
    </div>
  );
}

/** What `permissions suggest` would take away, for those who may read rights. */
function UnneededRights({ environment }: { readonly environment: string }) {
  const messages = useMessages();
  const texts = useTexts();
  const numberText = useNumberText();
  const { data: person } = useSuspenseQuery(meQuery);
  const isAsked = mayReadRights(person);
  const { data, error, refetch } = useQuery({ ...unneededRightsQuery({ environment }), enabled: isAsked });
  if (!isAsked) return null;
  const isSet = data?.document != null;
  const sentences = isSet ? data.removed : [];
  const unjudged = isSet ? data.unjudged : [];
  return (
    <Part title={texts.rights} why={sentences.length > 0 ? texts.rightsWhy(numberText(unneededDays)) : undefined}>
      {error && <Failure error={error} onRetry={() => void refetch()} />}
      {!data && !error && <p className={look.late}>{messages.loading}</p>}
      {data && sentences.length + unjudged.length === 0 && (
        <p className={look.small}>{isSet ? texts.allUsed : texts.noRights}</p>
      )}
      {sentences.length > 0 && (
        <ul>
          {sentences.map((sentence) => (
            <li key={sentence}>
              <bdi>{sentence}</bdi>
            </li>
          ))}
        </ul>
      )}
      {unjudged.length > 0 && (
        <>
          <p className={look.small}>
            {texts.unjudged} {data?.logSince ? texts.logSince(timeText(data.logSince)) : texts.logEmpty}
          </p>
          <ul>
            {unjudged.map(({ sentence, setAt }) => (
              <li key={sentence}>
                <bdi>{sentence}</bdi>
                {setAt !== null && <span className={look.small}> · {texts.setAt(timeText(setAt))}</span>}
              </li>
            ))}
          </ul>
        </>
      )}
    </Part>
  );
}

/** Numbers as people of the language write them. */
function useNumberText(): (number: number) => string {
  const numbers = new Intl.NumberFormat(useMessages().code);
  return (number) => numbers.format(number);
}
