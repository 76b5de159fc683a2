"""What confines a process: no network, no files but those of Python and of this package.

Linux lets everybody do that, by namespaces: in one of its own, a process may take away what it has.
Nothing but the standard library is imported here, since a process with threads must not.
"""

import ctypes
import os
import signal
import sys
import sysconfig
from collections.abc import Iterable, Iterator
from pathlib import Path

if sys.platform != "win32":
    import resource

NETWORK, FILES, PROCESSES = "the network", "files of this user", "other processes of this user"
ALL = (NETWORK, FILES, PROCESSES)
"""What a process may be kept from, as messages name it."""

NEW_USER, NEW_MOUNTS, NEW_NETWORK = 0x10000000, 0x00020000, 0x40000000
NEW_IPC, NEW_NAMES, NEW_PROCESSES = 0x08000000, 0x04000000, 0x20000000
NO_SUID, NO_DEVICES, BIND, RECURSIVE, PRIVATE = 2, 4, 4096, 16384, 1 << 18
READ_ONLY, SET_ATTRIBUTES, AT_RECURSIVE = 1, 442, 0x8000
DETACH = 2
PARENT_DEATH, NO_NEW_PRIVILEGES, DROP_CAPABILITY = 1, 38, 24
CAPABILITIES_VERSION = 0x20080522

SYSTEM = ("/usr", "/bin", "/lib", "/lib32", "/lib64", "/etc/ld.so.cache", "/dev/null")
"""What programs need of a system; none of it is anybody's own."""

TEMPORARY = b"size=256m"
MEMORY = 2 << 30
SECONDS = 1800
LIMITS = {
    "RLIMIT_CORE": 0,
    "RLIMIT_CPU": SECONDS,
    "RLIMIT_DATA": MEMORY,
    "RLIMIT_FSIZE": 64 << 20,
    "RLIMIT_NOFILE": 1024,
    "RLIMIT_NPROC": 1024,
}
"""The limits of each process, by their names in `resource`."""


def confine() -> tuple[str, ...]:
    """Take away what this process does not need; what it could not be kept from.

    The working folder becomes the new root. The caller goes on as the first process of its own:
    the one that was started waits for it, and ends as it does. Only a process with one thread can
    be confined.
    """
    _limit()
    if sys.platform != "linux":
        return ALL
    libc = ctypes.CDLL(None, use_errno=True)
    user, group = os.getuid(), os.getgid()
    try:
        spaces = NEW_USER | NEW_MOUNTS | NEW_NETWORK | NEW_IPC | NEW_NAMES | NEW_PROCESSES
        _checked(libc.unshare(spaces))
    except OSError:
        return ALL
    try:
        _map(user, group)
        _fork(libc)
        _change_root(libc, Path.cwd())
        _drop(libc)
    except OSError:
        return (FILES, PROCESSES)
    return ()


def _limit() -> None:
    for name, value in LIMITS.items() if sys.platform != "win32" else ():
        which = getattr(resource, name, None)
        if which is not None:
            _, most = resource.getrlimit(which)
            least = value if most == resource.RLIM_INFINITY else min(value, most)
            resource.setrlimit(which, (least, least))


def _checked(result: int) -> None:
    if result:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))


def _map(user: int, group: int) -> None:
    """Be the same user as before, with no other one."""
    Path("/proc/self/setgroups").write_text("deny")
    Path("/proc/self/uid_map").write_text(f"{user} {user} 1")
    Path("/proc/self/gid_map").write_text(f"{group} {group} 1")


def _fork(libc: ctypes.CDLL) -> None:
    """Go on in a child: all processes that it starts end with it, and it ends with this one."""
    child = os.fork()
    if not child:
        return
    _checked(libc.prctl(PARENT_DEATH, signal.SIGKILL, 0, 0, 0))
    _, status = os.waitpid(child, 0)
    os._exit(abs(os.waitstatus_to_exitcode(status)))


def _change_root(libc: ctypes.CDLL, place: Path) -> None:
    """Keep what is visible, read-only, and an empty folder for temporary files in memory."""
    _mount(libc, None, "/", flags=PRIVATE | RECURSIVE)
    _mount(libc, "tmpfs", place, kind="tmpfs", flags=NO_SUID | NO_DEVICES)
    for path in outermost(visible()):
        _show(libc, path, place)
    for name in ("tmp", "dev/shm"):
        (place / name).mkdir(parents=True)
    os.chdir(place)
    _checked(libc.pivot_root(b".", b"."))
    _checked(libc.umount2(b".", DETACH))
    os.chdir("/tmp")


def visible() -> Iterator[Path]:
    """What a run of the suite reads: of Python, of the packages beside it, and of this one."""
    yield from map(Path, SYSTEM)
    yield from map(Path, (sys.prefix, sys.base_prefix, *sysconfig.get_paths().values()))
    # Other entries of the search path may be anybody's folder, such as a checkout with its keys.
    packages = (Path(entry) for entry in sys.path)
    yield from (each for each in packages if each.name in ("site-packages", "dist-packages"))
    package = Path(__file__).parents[2]
    yield from (package, package.parent / "spec")


def outermost(paths: Iterable[Path]) -> list[Path]:
    """Those that exist, once each, and none within another."""
    found: list[Path] = []
    for path in sorted({path.absolute() for path in paths if path.exists()}):
        if not any(path.is_relative_to(other) for other in found):
            found.append(path)
    return found


def _show(libc: ctypes.CDLL, path: Path, root: Path) -> None:
    """Show a path of the system below another root, where nobody can change it."""
    there = root / path.relative_to("/")
    there.parent.mkdir(parents=True, exist_ok=True)
    if path.is_symlink():
        there.symlink_to(path.readlink())
        return
    if path.is_dir():
        there.mkdir(exist_ok=True)
    else:
        there.touch()
    _mount(libc, path, there, flags=BIND | RECURSIVE)
    if path.is_char_device():
        return
    # Unlike mount(2), this reaches what is mounted below, too.
    attributes = (ctypes.c_uint64 * 4)(READ_ONLY | NO_SUID | NO_DEVICES, 0, 0, 0)
    size = ctypes.c_size_t(ctypes.sizeof(attributes))
    name = os.fsencode(there)
    _checked(libc.syscall(SET_ATTRIBUTES, -100, name, AT_RECURSIVE, attributes, size))


def _mount(
    libc: ctypes.CDLL,
    source: Path | str | None,
    target: Path | str,
    *,
    kind: str | None = None,
    flags: int,
) -> None:
    names = [None if each is None else os.fsencode(each) for each in (source, target, kind)]
    size = TEMPORARY if kind else None
    _checked(libc.mount(*names, ctypes.c_ulong(flags), size))


def _drop(libc: ctypes.CDLL) -> None:
    """Give up what the user namespace allows: otherwise it could be undone."""
    number = 0
    while libc.prctl(DROP_CAPABILITY, number, 0, 0, 0) == 0:
        number += 1
    header = (ctypes.c_uint32 * 2)(CAPABILITIES_VERSION, 0)
    _checked(libc.capset(header, (ctypes.c_uint32 * 6)()))
    _checked(libc.prctl(NO_NEW_PRIVILEGES, 1, 0, 0, 0))
    _checked(libc.prctl(PARENT_DEATH, signal.SIGKILL, 0, 0, 0))
