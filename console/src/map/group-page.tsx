import { getRouteApi, Link } from '@tanstack/react-router';
import { useRecords } from '../data/collections.ts';
import { cropName, useCrops } from '../data/crops.ts';
import { useNow } from '../data/garden-time.ts';
import { membersOf } from '../data/group-criteria.ts';
import { groupBy } from '../data/groups.ts';
import { textOfIds } from '../data/point-ids.ts';
import { useMayWrite } from '../data/singles.ts';
import { actionClass } from '../ui/button.tsx';
import { cropPictures } from '../ui/crop-pictures.ts';
import { Part } from '../ui/failure.tsx';
import { Card, EmptyState, Page } from '../ui/page.tsx';
import styles from './life.module.css';
import { lifeText } from './life-text.ts';
import { isPlant } from './points.ts';
import { mapText } from './text.ts';
import { VisitList } from './visit-list.tsx';

const groupRoute = getRouteApi('/garden/groups/$id');

/** A group: what belongs to it, by crop, and what the schedule does with it. The form is one step away. */
export function GroupPage() {
  const text = lifeText();
  const { id } = groupRoute.useParams();
  const points = useRecords('points');
  const group = useRecords('point_groups').find((each) => String(each.id) === id);
  const crops = useCrops();
  const now = useNow();
  const mayWrite = useMayWrite();
  if (!group)
    return (
      <Page title={text.groups}>
        <EmptyState title={text.noGroup} action={<Link to="/map">{text.onMap}</Link>} />
      </Page>
    );
  const members = membersOf(group, points, now);
  const slugOf = (member: (typeof members)[number]): string => (isPlant(member) ? member.openfarm_slug : '');
  const kinds = [...groupBy(members, slugOf)].sort(([, a], [, b]) => b.length - a.length);
  return (
    <Page
      title={group.name}
      actions={
        <>
          {mayWrite ? (
            <Link to="/things/$kind" params={{ kind: 'point_groups' }} search={{ id: group.id }}>
              {text.edit}
            </Link>
          ) : null}
          <Link to="/map" search={{ points: textOfIds(members.map((member) => member.id)) }} className={actionClass}>
            {text.onMap}
          </Link>
        </>
      }
    >
      <Card title={text.membersOf(members.length)}>
        {members.length === 0 ? <p>{text.noMembers}</p> : null}
        {kinds.map(([slug, ofKind]) => {
          const crop = crops.get(slug);
          const picture = cropPictures[slug];
          const ofName = groupBy(ofKind, ({ name }) => name);
          return (
            <section key={slug} className={styles.glance} aria-label={crop ? cropName(crop) : slug}>
              {picture ? <img src={picture} alt="" width={48} height={48} /> : null}
              <div>
                <p className={styles.main}>
                  {crop ? cropName(crop) : mapText().countsOf(ofKind.map(({ pointer_type }) => pointer_type))}
                </p>
                <p>
                  {ofKind.map((member, index) => (
                    <span key={member.id}>
                      {index > 0 ? ', ' : null}
                      <Link to="/plants/$id" params={{ id: String(member.id) }}>
                        {ofName.get(member.name)?.length === 1
                          ? member.name
                          : `${member.name} (${Math.round(member.x)}, ${Math.round(member.y)})`}
                      </Link>
                    </span>
                  ))}
                </p>
              </div>
            </section>
          );
        })}
      </Card>
      <Card title={text.schedule}>
        <Part>
          <VisitList chosen={members} points={points} />
        </Part>
      </Card>
    </Page>
  );
}
