#!/bin/sh
# A machine for the cluster: process, mount, network, IPC and host name namespaces of its own, with a Debian system as root.
# Everything in it ends and is unmounted with its first process.
#
#   node.sh guard <root> <run> <kept> <programs> <server base> <name>
#
# Runs until its standard input is closed, by whoever started it or because that has ended for whatever reason. Then it
# removes the machine, its control groups and the folder <run>.
set -eu

guard() {
  root=$1 run=$2 kept=$3 programs=$4 base=$5 name=$6
  trap '' INT TERM HUP
  mkdir -p "$run"
  for groups in /sys/fs/cgroup/cgroup.procs /sys/fs/cgroup/*/cgroup.procs; do
    [ ! -e "$groups" ] || mkdir -p "${groups%/*}/$name"
  done
  unshare --fork --kill-child --pid --mount --net --ipc --uts --propagation private \
    sh "$0" inside "$root" "$run" "$kept" "$programs" "$base" </dev/null &
  machine=$!
  cat >/dev/null || true
  kill -KILL "$machine" 2>/dev/null || true
  wait "$machine" 2>/dev/null || true
  for groups in /sys/fs/cgroup/"$name" /sys/fs/cgroup/*/"$name"; do
    # Processes that were just killed may still be leaving their groups.
    for attempt in 1 2 3 4 5 6 7 8 9 10; do
      [ -d "$groups" ] || break
      find "$groups" -depth -type d -exec rmdir {} + 2>/dev/null || sleep 0.5
    done
  done
  rm -rf "$run"
}

inside() {
  root=$1 run=$2 kept=$3 programs=$4 base=$5
  mount --bind "$root" "$root"
  mount --rbind /sys "$root/sys"
  mount --rbind /dev "$root/dev"
  mount -t proc proc "$root/proc"
  # Nothing in the Debian system itself changes.
  for folder in run tmp etc/cni etc/containerd mnt opt var/log; do
    mount -t tmpfs tmpfs "$root/$folder"
  done
  for folder in containerd etcd kubelet cni; do
    mkdir -p "$run/$folder" "$root/var/lib/$folder"
    mount --bind "$run/$folder" "$root/var/lib/$folder"
  done
  for folder in registry containers; do
    mkdir -p "$kept/$folder" "$root/var/lib/$folder"
    mount --bind "$kept/$folder" "$root/var/lib/$folder"
  done
  mkdir -p "$root/opt/programs" "$run/files" "$root/mnt/files" "$root/mnt/old"
  mount --bind "$programs" "$root/opt/programs"
  mount --bind "$run/files" "$root/mnt/files"
  mkdir -p "$root/mnt/server-base"
  mount --bind -o ro "$base" "$root/mnt/server-base"
  : >"$root/run/resolv.conf"
  mount --bind "$root/run/resolv.conf" "$root/etc/resolv.conf"
  cd "$root"
  pivot_root . mnt/old
  umount -l /mnt/old
  # Volumes that the kubelet mounts have to reach the containers.
  mount --make-rshared /
  hostname node
  ip link set lo up
  # Kernels without dummy interfaces have bridges; this one has the node's address.
  ip link add node0 type bridge
  ip address add 10.66.0.1/24 dev node0
  ip link set node0 up
  ip route add default dev node0
  echo 1 >/proc/sys/net/ipv4/ip_forward
  echo ready >/mnt/files/ready
  # Reaps the processes whose parents have ended.
  exec catatonit -P
}

"$@"
