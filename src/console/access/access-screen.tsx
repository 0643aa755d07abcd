import { useSuspenseQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { look, Missing, Title } from '../design/controls.tsx';
import { useMessages } from '../messages/index.ts';
import { mayManagePeople, meQuery } from '../model/me.ts';
import { useAccessTexts } from './access-texts.ts';
import { ClientsPart } from './clients-part.tsx';
import { PlaygroundPart } from './playground-part.tsx';
import { SignOnPart } from './sign-on-part.tsx';
import { TokensPart } from './tokens-part.tsx';

const parts = ['tokens', 'clients', 'sign-on', 'playground'] as const;
type Part = (typeof parts)[number];

/** What programs and assistants come in with. */
export function AccessScreen() {
  const { part = 'tokens' } = useParams({ from: '/$environment/access/{-$part}' });
  const { data: person } = useSuspenseQuery(meQuery);
  const open = parts.filter((each) => each !== 'sign-on' || mayManagePeople(person));
  const shown = open.find((each) => each === part);
  if (shown === undefined) return <Missing />;
  return (
    <>
      <Head open={open} shown={shown} />
      {shown === 'tokens' && <TokensPart person={person} />}
      {shown === 'clients' && <ClientsPart person={person} />}
      {shown === 'sign-on' && <SignOnPart />}
      {shown === 'playground' && <PlaygroundPart />}
    </>
  );
}

interface HeadProps {
  /** What the person may see. */
  readonly open: readonly Part[];
  readonly shown: Part;
}

function Head({ open, shown }: HeadProps) {
  const messages = useMessages();
  const texts = useAccessTexts();
  const { environment } = useParams({ from: '/$environment/access/{-$part}' });
  return (
    <div className={look.head}>
      <Title>{messages.access}</Title>
      {open.map((part) => (
        <Link
          key={part}
          to="/$environment/access/{-$part}"
          params={{ environment, part: part === 'tokens' ? undefined : part }}
          aria-current={part === shown ? 'page' : undefined}
          activeOptions={{ exact: true }}
          className={look.tab}
        >
          {texts.parts[part]}
        </Link>
      ))}
    </div>
  );
}
