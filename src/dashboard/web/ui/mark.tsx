// The sign of Sluice, beside its name.

export function Mark({ size }: { size: number }) {
  return (
    <svg viewBox="0 0 32 32" width={size} height={size} aria-hidden="true">
      <rect width="32" height="32" rx="7" class="mark-ground" />
      <path d="M9 6v20M23 6v20M9 11h14" class="mark-gate" />
      <path d="M12 18c2-2 3 2 5 0s3 2 4 0M12 24c2-2 3 2 5 0s3 2 4 0" class="mark-water" />
    </svg>
  );
}
