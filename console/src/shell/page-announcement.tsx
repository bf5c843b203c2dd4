import { useEffect, useRef, useState } from 'react';
import styles from './frame.module.css';

/** Says the title of a page that is gone to, for people who do not see that it changed. */
export function PageAnnouncement({ path }: { readonly path: string }) {
  const [said, setSaid] = useState('');
  const shown = useRef(path);
  useEffect(() => {
    if (path === shown.current) return;
    shown.current = path;
    const titles = new MutationObserver(() => {
      titles.disconnect();
      setSaid(document.title);
    });
    const title = document.querySelector('title');
    if (title) titles.observe(title, { childList: true });
    return () => titles.disconnect();
  }, [path]);
  return (
    <p role="status" className={styles.announcement}>
      {said}
    </p>
  );
}
